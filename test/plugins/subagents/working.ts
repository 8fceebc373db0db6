import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client } from "@scorel/host/contract";
import { definePlugin, type KernelEntry } from "@scorel/kernel";
import permissions from "@scorel/permissions";
import type { Mode } from "@scorel/permissions/contract";
import requests from "@scorel/requests";
import subagents from "@scorel/subagents";
import tools from "@scorel/tools";
import worktrees from "@scorel/worktrees";
import { type RecordedRequest, type Reply, startModelServer, status, toolCall, usage } from "../../model-server.ts";
import { says, tool } from "../agent/setup.ts";
import { agentHost } from "../host/agent-host.ts";
import { testHome } from "../host/home.ts";

const touch = tool("Touch", async () => says("touched"), { access: () => "exclusive" });
const toolbox = definePlugin({ id: "toolbox", name: "Toolbox", version: "1.0.0", tools: () => [touch] });
export const used = (input: number) => usage({ input, output: 1 });
export const task = (description: string, prompt = description, agent?: string) =>
  toolCall("Task", { description, prompt, ...(agent !== undefined && { agent }) });

/** The first and the last message of a request's conversation as text, and the number of replies in it. */
export function wordsOf({ body }: RecordedRequest) {
  const said = (body.messages as { role: string; content: unknown }[]).filter(({ role }) => role !== "system");
  const words = said.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
  return { first: words[0] ?? "", rounds: said.filter(({ role }) => role === "assistant").length, last: words.at(-1) };
}
export const toolsIn = ({ body }: RecordedRequest) =>
  (body.tools as { function: { name: string } }[]).map((each) => each.function.name);

/** Replies by the first message of a conversation, one for each round. */
export type Script = Record<string, readonly Reply[]>;

interface Options {
  /** Files in the home directory, by path. */
  files?: Record<string, string>;
  /** Options of the session. */
  opened?: Record<string, unknown>;
  /** More plugins of the session. */
  plugins?: KernelEntry["plugin"][];
  permission?: Mode;
  parallel?: number;
  attending?: boolean;
  unsaved?: boolean;
  /** The working directory is a git repository with one commit of this file. */
  committed?: string;
  /** The table `[permissions]`, for the working directory. */
  rules?: (cwd: string) => object;
}

/** A host whose model follows the script, with a session in which "Go." was sent. */
export async function working(script: Script, options: Options = {}) {
  const home = testHome();
  for (const [path, content] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(home.home, path)), { recursive: true });
    writeFileSync(join(home.home, path), content);
  }
  const git = (...args: string[]) => execFileSync("git", ["-C", home.cwd, ...args], { encoding: "utf8" }).trim();
  if (options.committed !== undefined) {
    writeFileSync(join(home.cwd, options.committed), "one\n");
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "--message=Begin");
  }
  const server = await startModelServer((request) => {
    const { first, rounds } = wordsOf(request);
    return script[first]?.[rounds] ?? status(400, { error: { message: `nothing for ${first}` } });
  });
  const entry = (plugin: KernelEntry["plugin"], config?: object): KernelEntry => ({ plugin, origin: "test", config });
  const session = () => [
    entry(permissions, options.rules?.(home.cwd)),
    ...[requests, tools, toolbox, ...(options.plugins ?? [])].map((plugin) => entry(plugin)),
    entry(subagents, { parallel: options.parallel ?? 4 }),
  ];
  // A window into which the longest report fits.
  const model = { contextWindow: 100_000 };
  const host = await agentHost(server.baseUrlFor("openai-completions"), { session, host: [worktrees], model });
  const { client } = host;
  const { permission = "full", attending = false, unsaved = false } = options;
  const { sessionId, notices } = await client.request("create_session", {
    ...{ cwd: home.cwd, permission, attending, unsaved },
    ...options.opened,
  });
  if (attending) await client.request("attend_requests", { sessionId });
  const heard: any[] = [];
  await client.subscribe(sessionId, ({ event }) => void heard.push(event));
  const { id } = await client.request("send_message", { sessionId, content: "Go." });
  return {
    ...{ git, home, server, client, sessionId, heard, notices },
    outcome: () => client.request("wait_turn", { sessionId, id }),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

export const childrenOf = async (client: Client, parent: string) =>
  (await client.request("list_sessions", { parent })).sessions;
export const resultsIn = async (client: Client, sessionId: string): Promise<any[]> =>
  (await client.request("get_events", { sessionId })).events.flatMap(({ event }: any) =>
    event.message?.role === "tool_result" ? [event.message] : [],
  );
