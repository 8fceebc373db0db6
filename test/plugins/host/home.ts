import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import commands from "@scorel/commands";
import hostPlugin from "@scorel/host";
import type { Client, HostService } from "@scorel/host/contract";
import { type AnyPlugin, createKernel, definePlugin, type Kernel, type KernelEntry } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import logs from "@scorel/logs";
import messages from "@scorel/messages";
import type { UserMessage } from "@scorel/messages/contract";
import type { Notice } from "@scorel/workspace/contract";
import { operations } from "../../../plugins/agent/operations.ts";
import { testHeader } from "../../harness.ts";

/** A temporary home with a working directory in it. HOME is set to it until it is disposed. */
export interface TestHome extends Disposable {
  home: string;
  cwd: string;
  /** `<home>/.scorel/sessions/<name>` */
  session(name: string): string;
  /** The sorted names of the files in the sessions' directory; empty if it does not exist. */
  files(): string[];
}

export function testHome(): TestHome {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "scorel-home-")));
  const before = process.env.HOME;
  const cwd = join(home, "work");
  mkdirSync(cwd);
  process.env.HOME = home;
  const sessions = join(home, ".scorel", "sessions");
  return {
    home,
    cwd,
    session: (name) => join(sessions, name),
    files: () => (existsSync(sessions) ? readdirSync(sessions).sort() : []),
    [Symbol.dispose]: () => {
      process.env.HOME = before;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** An agent that replies "echo: …" at once, which is all that tests of the host need. */
export const echoAgent = definePlugin({
  id: "agent",
  name: "Echo",
  version: "1.0.0",
  provides: ["agent"],
  operations,
  activate(ctx) {
    const send = async (content: UserMessage["content"], options: { clientId?: string; messageId?: string } = {}) => {
      const user = { role: "user" as const, content, timestamp: 1 };
      const asked = await ctx.session.append("message", { message: user }, { clientId: options.clientId });
      const text = `echo: ${content}`;
      const reply = { ...assistant, content: [{ type: "text" as const, text }] };
      const turn = ctx.session.append("message", { message: reply }).then((stored) => ({
        reason: "completed" as const,
        text,
        stopReason: "stop",
        usage: assistant.usage,
        durationMs: 1,
        leafId: stored.id,
      }));
      return { status: "started" as const, id: asked.id, turn };
    };
    ctx.provide("agent", { send, cancel: async () => false, running: false } as never);
  },
});

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** An assistant's message without content. */
export const assistant = {
  role: "assistant" as const,
  content: [],
  api: "test",
  provider: "test",
  model: "echo",
  usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
  stopReason: "stop" as const,
  timestamp: 2,
};

export interface TestHost extends AsyncDisposable {
  host: HostService;
  kernel: Kernel;
  client: Client;
}

/** A running host with the given plugins, whose sessions have `messages`, `commands` and `plugins`. */
export async function testHost(
  plugins: (AnyPlugin | KernelEntry)[] = [echoAgent],
  problems: Notice[] = [],
  hostPlugins: (AnyPlugin | KernelEntry)[] = [],
): Promise<TestHost> {
  const entry = (plugin: AnyPlugin | KernelEntry): KernelEntry =>
    "plugin" in plugin ? plugin : { plugin, origin: "test" };
  const entries = [messages, commands, ...plugins].map(entry);
  const composition = { sessionPlugins: async () => ({ entries, problems }), kernel: () => kernel };
  const kernel: Kernel = await createKernel({
    entries: [logs, hostPlugin, ...hostPlugins].map(entry),
    store: createMemoryStore(testHeader),
    services: { composition },
  });
  const host = kernel.find("host") as HostService;
  return {
    host,
    kernel,
    client: host.connect({ clientId: "tester", checkResults: true }),
    [Symbol.asyncDispose]: () => kernel.stop(),
  };
}

/** Sends a message and returns the text of the reply. */
export async function ask(client: Client, sessionId: string, content: string): Promise<string> {
  const { id } = await client.request("send_message", { sessionId, content });
  return (await client.request("wait_turn", { sessionId, id })).text;
}

/** A plugin that records the variables with which sessions begin, in this order. */
export function environmentRecorder() {
  const begun: unknown[] = [];
  const records = definePlugin({
    ...{ id: "records", name: "Records", version: "1.0.0", needs: ["workspace"] },
    activate: (ctx) => void begun.push(ctx.workspace.environment),
  });
  return { begun, records };
}
