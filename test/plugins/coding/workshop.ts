import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentService, ToolCallApproval, ToolCallVerdict } from "@scorel/agent/contract";
import coding from "@scorel/coding";
import type { FileDetails } from "@scorel/coding/contract";
import { definePlugin, type FoldCall, type Kernel } from "@scorel/kernel";
import local from "@scorel/local";
import messages from "@scorel/messages";
import type { ModelService, SecretsService } from "@scorel/model/contract";
import tools from "@scorel/tools";
import type { ToolOutput, ToolsService } from "@scorel/tools/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { createSecrets } from "../../../plugins/model/keys/secrets.ts";
import { type TestPlugin, testKernel } from "../../harness.ts";

export interface Surroundings {
  /** Size of the model's context window in tokens. */
  window?: number;
  /** Tokens of it that are in use. */
  used?: number;
  images?: boolean;
  /** A secret that must not appear in results. */
  secret?: string;
  workspace?: Partial<Workspace>;
  /** Plugins in addition to the tools. */
  plugins?: readonly TestPlugin[];
  /** Replaces the tool registry, which has no configuration by default. */
  tools?: TestPlugin;
}

/** A temporary project with the real tools. Results are appended to a log, as the agent loop does. */
export interface Workshop extends AsyncDisposable {
  kernel: Kernel;
  tools: ToolsService;
  /** The project's folder, by its real path; `home` and `temp` are next to it. */
  dir: string;
  home: string;
  temp: string;
  path(name: string): string;
  /** Writes a file and creates its folders; returns its path. */
  file(name: string, content?: string | Buffer): string;
  bytes(name: string): Buffer;
  text(name: string): string;
  /** Prepares, validates and runs a tool, and stores the result. */
  call(
    name: string,
    args: unknown,
    signal?: AbortSignal,
    onUpdate?: (partial: ToolOutput) => void,
  ): Promise<ToolOutput>;
  /** The text of a call's result. */
  say(name: string, args: unknown): Promise<string>;
  /** The guard's verdict on a call; undefined if it allows the call. */
  judge(name: string, args: unknown, toolCallId?: string): Promise<ToolCallVerdict | undefined>;
}

export async function workshop(surroundings: Surroundings = {}): Promise<Workshop> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "scorel-coding-")));
  const [dir, home, temp] = ["project", "home", "temp"].map((name) => join(base, name)) as [string, string, string];
  for (const folder of [dir, home, temp]) mkdirSync(folder);
  const judge: { call?: FoldCall<"approveToolCall"> } = {};
  const workspace: Workspace = { cwd: dir, root: dir, home, temp, allowWrite: [], ...surroundings.workspace };
  const t = await testKernel(
    [messages, surroundings.tools ?? tools, loop(surroundings, judge), local, coding, ...(surroundings.plugins ?? [])],
    {
      services: { workspace, model: modelOf(surroundings), ...secretsOf(surroundings) },
    },
  );
  const service = t.kernel.find("tools") as ToolsService;
  let calls = 0;
  const call: Workshop["call"] = async (name, args, signal, onUpdate) => {
    const tool = service.get(name);
    if (!tool) throw new Error(`no tool ${name}`);
    const id = `call${++calls}`;
    const result = await tool.execute(id, tool.validate(tool.prepareArguments(args)), signal, onUpdate);
    await store(t.kernel, id, name, result);
    return result;
  };
  const path = (name: string) => join(dir, name);
  return {
    kernel: t.kernel,
    tools: service,
    dir,
    home,
    temp,
    path,
    file(name, content = "") {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    bytes: (name) => readFileSync(path(name)),
    text: (name) => readFileSync(path(name), "utf8"),
    call,
    say: async (name, args) => textOf(await call(name, args)),
    judge: async (name, args, id = "x") => {
      const toolCall = { type: "toolCall" as const, id, name, arguments: {} };
      const call = {
        assistantMessage: {} as never,
        toolCall,
        args: args as Record<string, unknown>,
        context: { systemPrompt: "", messages: [] },
      };
      return (await judge.call?.(call))?.refused;
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Appends a result as the agent loop does. */
export async function store(kernel: Kernel, toolCallId: string, toolName: string, result: ToolOutput): Promise<void> {
  const { content, details, isError = false } = result;
  await kernel.session.append("message", {
    message: { role: "tool_result", toolCallId, toolName, content, details, isError, timestamp: 0 },
  });
}

export function textOf(result: ToolOutput): string {
  return result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n");
}

/** The details of the file in a result of Read, Edit or Write. */
export function fileOf(result: ToolOutput): FileDetails {
  return (result.details as { file: FileDetails }).file;
}

/** Replaces the agent: defines the hooks that guards use, and says how many tokens are in use. */
function loop({ used = 0 }: Surroundings, judge: { call?: FoldCall<"approveToolCall"> }) {
  return definePlugin({
    id: "agent",
    name: "Stand-in",
    version: "1.0.0",
    provides: ["agent"],
    activate(ctx) {
      ctx.defineHook("beforeToolCall", "bail");
      ctx.defineHook("transformContext", "waterfall");
      judge.call = ctx.defineHook("approveToolCall", {
        fold: (call: ToolCallApproval, verdict) =>
          verdict.block && !call.refused ? { ...call, refused: verdict } : call,
      });
      ctx.provide("agent", { contextTokens: () => used } as AgentService);
    },
  });
}

function modelOf({ window = 128_000, images = false }: Surroundings): ModelService {
  const current = () => ({ contextWindow: window, input: images ? ["text", "image"] : ["text"] });
  return { current } as unknown as ModelService;
}

function secretsOf({ secret }: Surroundings): { secrets?: SecretsService } {
  if (secret === undefined) return {};
  return { secrets: createSecrets([], [secret], { PATH: process.env.PATH ?? "", CHILD: "yes" }) };
}
