import { fileURLToPath } from "node:url";
import commands from "@scorel/commands";
import type { Client } from "@scorel/host/contract";
import type { KernelEntry } from "@scorel/kernel";
import permissions from "@scorel/permissions";
import type { Mode } from "@scorel/permissions/contract";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import type { Clock } from "../../../plugins/mcp/context.ts";
import { createMcp } from "../../../plugins/mcp/index.ts";
import { type ModelServer, type RecordedRequest, type Reply, startModelServer } from "../../model-server.ts";
import { agentHost } from "../host/agent-host.ts";
import { type TestHome, testHome } from "../host/home.ts";

const program = fileURLToPath(new URL("../../fixtures/mcp-tools.mjs", import.meta.url));

/** An entry of `mcp.servers` for the test's server program with these arguments. */
export const server = (name: string, args: readonly string[] = [], more: object = {}) => ({
  name,
  command: process.execPath,
  args: [program, ...args],
  ...more,
});

/** A clock whose delayed work runs when the test calls `next`. */
export function testClock() {
  const pending: { ms: number; work: () => void }[] = [];
  const clock: Clock = {
    after(ms, work) {
      const entry = { ms, work };
      pending.push(entry);
      return () => void pending.splice(pending.indexOf(entry), pending.includes(entry) ? 1 : 0);
    },
    now: () => 0,
  };
  return { clock, pending, next: () => pending.shift()?.work() };
}

interface Options {
  servers?: readonly object[];
  /** Further keys of `[mcp]`. */
  config?: object;
  clock?: Clock;
  permission?: Mode;
  rules?: object;
  attending?: boolean;
  /** The table `[tools]`. */
  tools?: object;
  /** Further plugins of the session. */
  more?: readonly KernelEntry["plugin"][];
  /** The home to use. Default: a new one */
  home?: TestHome;
  /** Keys of `[model]`. */
  model?: Record<string, unknown>;
}

export interface Talk extends AsyncDisposable {
  home: TestHome;
  model: ModelServer;
  client: Client;
  sessionId: string;
  heard: any[];
  /** Sends a message, waits for the end of its turn, and returns the requests of this turn. */
  say(content: string): Promise<RecordedRequest[]>;
  begin(content: string): Promise<{ id: string }>;
  close(): Promise<void>;
}

/** A session with MCP servers, whose model plays the script. */
export async function talk(script: readonly Reply[], options: Options = {}): Promise<Talk> {
  const home = options.home ?? testHome();
  const model = await startModelServer(script);
  const entry = (plugin: KernelEntry["plugin"], config?: object): KernelEntry => ({ plugin, origin: "test", config });
  const session = () => [
    ...[requests, commands, ...(options.more ?? [])].map((plugin) => entry(plugin)),
    entry(tools, options.tools),
    entry(permissions, options.rules),
    entry(createMcp(options.clock), { servers: options.servers ?? [server("test")], wait: 30, ...options.config }),
  ];
  const host = await agentHost(model.baseUrlFor("openai-completions"), {
    session,
    ...(options.model && { model: options.model }),
  });
  const { client } = host;
  const { permission = "full", attending = false } = options;
  const { sessionId } = await client.request("create_session", { cwd: home.cwd, permission, attending });
  if (attending) await client.request("attend_requests", { sessionId });
  const heard: any[] = [];
  await client.subscribe(sessionId, ({ event }) => void heard.push(event));
  const begin = (content: string) => client.request("send_message", { sessionId, content });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await host[Symbol.asyncDispose]();
    isClosed = true;
  };
  return {
    ...{ home, model, client, sessionId, heard, begin, close },
    async say(content) {
      const before = model.requests.length;
      const { id } = await begin(content);
      await client.request("wait_turn", { sessionId, id });
      return model.requests.slice(before);
    },
    async [Symbol.asyncDispose]() {
      await close();
      await model.close();
      if (!options.home) home[Symbol.dispose]();
    },
  };
}

/** The names of the tools that a request offers. */
export const offered = ({ body }: RecordedRequest) =>
  ((body.tools ?? []) as { function: { name: string } }[]).map((each) => each.function.name);

/** The text of the last message of a request; after a tool call, this is the result. */
export function lastText({ body }: RecordedRequest): string {
  const { content } = body.messages.at(-1);
  return typeof content === "string" ? content : content.map((part: { text?: string }) => part.text ?? "").join("\n");
}
