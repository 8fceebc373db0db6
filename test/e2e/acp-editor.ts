import { readFileSync, writeFileSync } from "node:fs";
import { Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationRequest,
  client,
  type InitializeResponse,
  type McpServer,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { eventually } from "../eventually.ts";
import { faultIn } from "./acp-frames.ts";
import type { Finished, RunOptions, Scratch } from "./scorel.ts";

/** How the test answers the agent's questions. A string is the id of an option; null cancels the question. */
export interface EditorOptions extends RunOptions {
  args?: readonly string[];
  can?: ClientCapabilities;
  choose?(request: RequestPermissionRequest): string | null | Promise<string | null>;
  fill?(request: CreateElicitationRequest): Record<string, string> | null | Promise<Record<string, string> | null>;
  /** Unsaved texts of open files, by path. If set, the editor reads and saves files for the agent. */
  buffers?: Map<string, string>;
}

/**
 * An editor that consists of the SDK's client, with the built command as its agent. Each line from the agent is checked
 * against the SDK's schema.
 */
export interface TestEditor extends AsyncDisposable {
  readonly agent: ClientConnection["agent"];
  readonly introduced: InitializeResponse;
  /** The agent's session updates, in order. */
  readonly updates: readonly { sessionId: string; update: SessionUpdate }[];
  readonly asked: readonly RequestPermissionRequest[];
  /** Ids of the requests that the agent has cancelled. */
  readonly withdrawn: readonly unknown[];
  open(cwd?: string, mcpServers?: McpServer[]): Promise<string>;
  prompt(sessionId: string, content: string | ContentBlock[]): Promise<PromptResponse>;
  /** The text of the agent's messages in a session so far. */
  said(sessionId: string): string;
  /** Resolves with the first update that matches. */
  update(matches: (update: SessionUpdate, sessionId: string) => boolean): Promise<SessionUpdate>;
  /** Closes stdin, and resolves when the command has ended. */
  leave(): Promise<Finished>;
  readonly pid: number;
  /** Resolves when the command has ended. */
  readonly ended: Promise<Finished>;
}

export async function editor(s: Scratch, options: EditorOptions = {}): Promise<TestEditor> {
  const { args = [], choose = () => "y", fill = () => null, buffers, ...run } = options;
  const can = { ...(buffers && { fs: { readTextFile: true, writeTextFile: true } }), ...options.can };
  const running = s.start(["acp", ...args], { ...run, open: true });
  const { stdin, stdout } = running.child as { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream } & object;
  const updates: { sessionId: string; update: SessionUpdate }[] = [];
  const asked: RequestPermissionRequest[] = [];
  const withdrawn: unknown[] = [];
  const sent = new Map<unknown, string>();
  const faults: string[] = [];
  let rest = "";
  stdout.on("data", (chunk: string | Buffer) => {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const fault = faultIn(line, sent);
      if (fault !== undefined) faults.push(fault);
      if (line.includes('"$/cancel_request"')) withdrawn.push(JSON.parse(line).params.requestId);
    }
  });
  const app = client({ name: "test" });
  app.onNotification("session/update", ({ params }) => void updates.push(params));
  app.onRequest("session/request_permission", async ({ params }) => {
    asked.push(params);
    const optionId = await choose(params);
    return { outcome: optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
  });
  app.onRequest("elicitation/create", async ({ params }) => {
    const content = await fill(params);
    return content === null ? { action: "decline" } : { action: "accept", content };
  });
  if (buffers) serveFiles(app, buffers);
  const stream = ndJsonStream(Writable.toWeb(stdin as Writable), bytesOf(stdout));
  const connection = app.connect({
    readable: stream.readable,
    writable: noting(stream.writable, (message) => {
      if (message.method !== undefined && "id" in message) sent.set(message.id, message.method);
    }),
  });
  const { agent } = connection;
  const introduced = await agent.request("initialize", { protocolVersion: 1, clientCapabilities: can });
  const leave = async () => {
    stdin.end();
    const finished = await running.finished;
    if (rest !== "") faults.push(`no line: ${rest}`);
    if (faults.length > 0) throw new Error(`The agent has sent what the schema does not allow:\n${faults.join("\n")}`);
    return finished;
  };
  return {
    agent,
    introduced,
    updates,
    asked,
    withdrawn,
    pid: running.pid,
    ended: running.finished,
    leave,
    open: async (cwd = s.project, mcpServers = []) =>
      (await agent.request("session/new", { cwd, mcpServers })).sessionId,
    prompt: (sessionId, content) =>
      agent.request("session/prompt", {
        sessionId,
        prompt: typeof content === "string" ? [{ type: "text", text: content }] : content,
      }),
    said: (sessionId) =>
      updates
        .map(({ sessionId: id, update }) =>
          id === sessionId && update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
            ? update.content.text
            : "",
        )
        .join(""),
    update: (matches) =>
      eventually(() => {
        const found = updates.find(({ update, sessionId }) => matches(update, sessionId));
        if (!found) throw new Error(`No such update in ${JSON.stringify(updates, null, 1)}`);
        return found.update;
      }),
    async [Symbol.asyncDispose]() {
      await leave();
    },
  };
}

/**
 * Reads and saves files as an editor does: reading returns unsaved text if there is any, and saving ends its being
 * unsaved.
 */
function serveFiles(app: ReturnType<typeof client>, buffers: Map<string, string>): void {
  app.onRequest("fs/read_text_file", ({ params: { path } }) => ({
    content: buffers.get(path) ?? readFileSync(path, "utf8"),
  }));
  app.onRequest("fs/write_text_file", ({ params: { path, content } }) => {
    writeFileSync(path, content);
    buffers.delete(path);
    return {};
  });
}

/** The bytes of a stream that has other readers, too. */
function bytesOf(stream: NodeJS.ReadableStream): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      stream.on("data", (chunk: string | Buffer) => controller.enqueue(Buffer.from(chunk as string)));
      stream.on("end", () => controller.close());
    },
  });
}

type Messages = ReturnType<typeof ndJsonStream>["writable"];

function noting(to: Messages, note: (message: { id?: unknown; method?: string } & object) => void): Messages {
  const writer = to.getWriter();
  return new WritableStream({
    write(message) {
      note(message as never);
      return writer.write(message);
    },
  });
}

/** Starts the agent with these lines on stdin, and resolves when it has ended. */
export async function answersTo(s: Scratch, lines: readonly (string | Buffer)[]): Promise<Finished> {
  const running = s.start(["acp"], { open: true });
  const { stdin } = running.child as { stdin: Writable };
  for (const line of lines)
    await new Promise<void>((resolve) =>
      stdin.write(Buffer.concat([Buffer.from(line), Buffer.from("\n")]), () => resolve()),
    );
  stdin.end();
  return running.finished;
}
