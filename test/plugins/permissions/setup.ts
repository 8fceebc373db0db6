import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentService, ToolCallApproval, ToolCallObjection } from "@scorel/agent/contract";
import coding from "@scorel/coding";
import type { Operations } from "@scorel/host/contract";
import { definePlugin, type FoldCall, type Kernel, type StoredEvent } from "@scorel/kernel";
import local from "@scorel/local";
import messages from "@scorel/messages";
import permissions from "@scorel/permissions";
import type { ProjectsService } from "@scorel/projects/contract";
import requests from "@scorel/requests";
import type { OpenRequest } from "@scorel/requests/contract";
import tools from "@scorel/tools";
import type { ReadyTool, Tool } from "@scorel/tools/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { changeFile } from "../../../plugins/host/storage/shared-file.ts";
import { testCallers, testKernel } from "../../harness.ts";

type Asking = "attend_requests" | "list_requests" | "answer_request";

/** A project with the real tools, the real guard, and a person who may be asked. */
export interface Post extends AsyncDisposable {
  kernel: Kernel;
  dir: string;
  home: string;
  file(name: string, content?: string): string;
  link(name: string, target: string): void;
  read(path: string): string;
  /** Why a call is refused, or `runs`. */
  judge(tool: string, args: unknown, signal?: AbortSignal): Promise<string>;
  bash(command: string): Promise<string>;
  /** Runs a tool without the guard; returns its text. */
  say(tool: string, args: unknown): Promise<string>;
  /** Runs an operation as a client. */
  request<O extends Asking>(
    operation: O,
    params: Omit<Operations[O]["params"], "sessionId">,
    clientId?: string,
  ): Promise<Operations[O]["result"]>;
  /** The next question, once it is open. */
  question(): Promise<OpenRequest>;
  /** Lets the model have read a file. */
  seen(name: string): Promise<void>;
  stored(): StoredEvent[];
  /** Runs `/permission` with this mode. */
  command(mode?: string, rule?: string): Promise<unknown>;
}

export async function post(config: object = {}, workspace: Partial<Workspace> = {}, more: Tool[] = []): Promise<Post> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "scorel-permissions-")));
  const [dir, home, temp] = ["project", "home", "temp"].map((name) => join(base, name)) as [string, string, string];
  for (const folder of [dir, home, temp]) mkdirSync(folder);
  const guard: { call?: FoldCall<"approveToolCall"> } = {};
  const space: Workspace = { cwd: dir, root: dir, home, temp, allowWrite: [], ...workspace };
  const extra = definePlugin({ id: "extra", name: "Extra", version: "1.0.0", tools: () => more });
  const plugins = [messages, tools, requests, loop(guard), local, coding, extra, { plugin: permissions, config }];
  const t = await testKernel(plugins, {
    services: { workspace: space, sharedFiles: { changeFile }, projects: projectsOf() },
  });
  const callers = testCallers();
  const operations = () => Object.assign({}, ...t.kernel.collect("operations").map(({ value }) => value));
  const judge: Post["judge"] = async (name, args, signal) => {
    const toolCall = { type: "toolCall" as const, id: "call1", name, arguments: {} };
    const call = {
      assistantMessage: {} as never,
      toolCall,
      args: args as Record<string, unknown>,
      context: { systemPrompt: "", messages: [] },
    };
    const judged = (await (guard.call as NonNullable<typeof guard.call>)(call, signal)) as ToolCallApproval;
    const { asks = [] } = judged;
    const ends = signal ?? new AbortController().signal;
    const isAsked = !judged.refused && asks.length > 0;
    const refused = isAsked ? await t.kernel.find("approver")?.ask(call, asks, ends) : judged.refused;
    return refused?.block ? (refused.reason ?? "refused") : "runs";
  };
  return {
    kernel: t.kernel,
    dir,
    home,
    file(name, content = "") {
      const path = join(dir, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    link: (name, target) => symlinkSync(target, join(dir, name)),
    read: (path) => readFileSync(path, "utf8"),
    judge,
    async say(name, args) {
      const tool = t.kernel.find("tools")?.get(name) as ReadyTool;
      const { content } = await tool.execute("call1", tool.validate(args), undefined);
      return content.map((part) => (part.type === "text" ? part.text : "")).join("");
    },
    async seen(name) {
      const tool = t.kernel.find("tools")?.get("Read") as ReadyTool;
      const { content, details } = await tool.execute("read", tool.validate({ file_path: name }), undefined);
      const message = { role: "tool_result" as const, toolCallId: "read", toolName: "Read", content, details };
      await t.session.append("message", { message: { ...message, isError: false, timestamp: 0 } });
    },
    bash: (command) => judge("Bash", { command }),
    request: async (operation, params, clientId = "client1") =>
      operations()[operation].run({ ...params, sessionId: t.session.id }, callers.caller(clientId)),
    question: () => nextQuestion(t.kernel),
    stored: t.stored,
    command: async (mode, rule) => {
      const { value } = t.kernel.collect("commands").find((row) => row.value.permission) as { value: any };
      const sessionId = t.session.id;
      const request = (operation: string, params: object) => operations()[operation].run(params, callers.caller("c1"));
      return value.permission.run({ mode, rule }, { sessionId, request });
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** The first open question, now or as soon as there is one. */
function nextQuestion(kernel: Kernel): Promise<OpenRequest> {
  const first = () => Object.values(kernel.session.projection("openRequests"))[0];
  return new Promise((resolve) => {
    const look = () => {
      const open = first();
      if (open) resolve(open);
      return open;
    };
    if (!look()) kernel.subscribe(() => void look());
  });
}

/** The service `projects` with one project and its id. */
function projectsOf(): ProjectsService {
  const register = async (directory: string) => ({ projectId: "project1", name: "project", directory, createdAt: 0 });
  return { register } as Partial<ProjectsService> as ProjectsService;
}

/** Replaces the agent: defines the hook that the guard taps. */
function loop(guard: { call?: FoldCall<"approveToolCall"> }) {
  return definePlugin({
    id: "agent",
    name: "Stand-in",
    version: "1.0.0",
    provides: ["agent"],
    activate(ctx) {
      guard.call = ctx.defineHook("approveToolCall", {
        fold: (call: ToolCallApproval, verdict) => {
          if (verdict.block) return call.refused ? call : { ...call, refused: verdict };
          return { ...call, asks: [...(call.asks ?? []), verdict as ToolCallObjection] };
        },
      });
      ctx.defineHook("beforeToolCall", "bail");
      ctx.defineHook("transformContext", "waterfall");
      ctx.provide("agent", { contextTokens: () => 0 } as AgentService);
    },
  });
}
