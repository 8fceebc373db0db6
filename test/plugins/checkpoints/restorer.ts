import blobs from "@scorel/blobs";
import checkpoints from "@scorel/checkpoints";
import hostPlugin from "@scorel/host";
import type { HostService } from "@scorel/host/contract";
import { createKernel, definePlugin, type Kernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import logs from "@scorel/logs";
import messages from "@scorel/messages";
import { testHeader } from "../../harness.ts";

/**
 * Opens a session of this home, prints `open`, and restores its files after a line on stdin. Arguments: home, session,
 * target event.
 */
const [home = "", sessionId = "", targetEventId = ""] = process.argv.slice(2);
process.env.HOME = home;

/** Replaces the agent and the tools, since no tool is called here. */
const agent = definePlugin({
  id: "agent",
  name: "Stand-in",
  version: "1.0.0",
  provides: ["agent", "tools"],
  activate(ctx) {
    ctx.defineHook("beforeToolCall", "bail");
    ctx.defineHook("transformContext", "waterfall");
    ctx.defineHook("afterToolCall", { fold: (input) => input });
    const { signal } = new AbortController();
    ctx.provide("agent", { betweenTurns: (work: (signal: AbortSignal) => unknown) => work(signal) } as never);
    ctx.provide("tools", {} as never);
  },
});
const entries = [messages, agent, checkpoints].map((plugin) => ({ plugin, origin: "test" }));
const kernel: Kernel = await createKernel({
  entries: [logs, hostPlugin, blobs].map((plugin) => ({ plugin, origin: "test" })),
  store: createMemoryStore(testHeader),
  services: { composition: { sessionPlugins: async () => ({ entries, problems: [] }), kernel: () => kernel } },
});
const client = (kernel.find("host") as HostService).connect();
await client.request("load_session", { sessionId });
console.log("open");
await new Promise((resolve) => process.stdin.once("data", resolve));
await client.request("restore_files", { sessionId, targetEventId });
console.log("restored");
