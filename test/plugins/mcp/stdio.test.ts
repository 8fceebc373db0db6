import { expect, it } from "vitest";
import { type Child, ServerProcesses } from "../../../plugins/mcp/wire/processes.ts";
import { StdioTransport } from "../../../plugins/mcp/wire/stdio.ts";
import { testHome } from "../host/home.ts";

const large = { jsonrpc: "2.0" as const, method: "x", params: { a: "y".repeat(300_000) } };

/** A transport to a shell command, and the process that it has started. */
async function started(command: string) {
  const home = testHome();
  const processes = new ServerProcesses("test", (thrown) => {
    throw thrown;
  });
  const children: Child[] = [];
  const start = processes.start.bind(processes);
  processes.start = async (program) => {
    const running = await start(program);
    children.push(running.child);
    return running;
  };
  const env = { PATH: process.env.PATH ?? "" };
  const transport = new StdioTransport({ command: "/bin/sh", args: ["-c", command], env, cwd: "/" }, processes);
  await transport.start();
  const end = async () => {
    await transport.close();
    processes.close();
    home[Symbol.dispose]();
  };
  return { transport, child: children[0] as Child, [Symbol.asyncDispose]: end };
}

it("large messages that a program reads slowly leave no listeners behind", async () => {
  await using t = await started("cat > /dev/null");
  const listeners = () => ["drain", "close"].map((event) => t.child.stdin.listenerCount(event));
  const before = listeners();
  for (let time = 0; time < 15; time++) await t.transport.send(large);
  expect(listeners()).toEqual(before);
});

it("a message to a program that has closed its input is not waited for", async () => {
  await using t = await started("exec 0<&-; sleep 60");
  const closed = new Promise((resolve) => t.child.stdin.once("close", resolve));
  await Promise.all([closed, t.transport.send(large)]);
  await t.transport.send(large);
});
