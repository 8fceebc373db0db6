/**
 * How much faster commands are with a host in the background, and how soon a client follows its session again after the
 * host was killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connectHost } from "@scorel/host/client";
import { dialSocket } from "../../plugins/socket/socket.ts";
// @ts-expect-error plain JavaScript, shared with the runner
import { bin, createHome, environment, inTurn, milliseconds, processorMilliseconds } from "./measure.mjs";

const node = process.execPath;
const model = process.env.BENCH_MODEL as string;
const turn = [bin, "--model", "local/plain", "--yes", "-p", "go"];

/** Starts a host. Resolves when it accepts connections. */
async function serve(home: string): Promise<ChildProcess> {
  const host = spawn(node, [bin, "host", "serve", "--foreground"], {
    cwd: home,
    env: environment(home),
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(host.stdout)) if (line.startsWith("socket: ")) return host;
  throw new Error("the host did not start");
}

async function ended(host: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const over = new Promise((resolve) => host.once("exit", resolve));
  host.kill(signal);
  await over;
}

/** Rows for a turn with and without a host. */
async function turnRows(): Promise<object[]> {
  const [own, other] = [createHome(model), createHome(model)];
  const host = await serve(own.home);
  try {
    const of = (unit: typeof milliseconds) =>
      inTurn(9, {
        value: () => unit(node, turn, { home: own.home, check: (text: string) => text === "Done.\n" }),
        baseline: () => unit(node, turn, { home: other.home }),
      });
    return [
      { work: "turn at a host in the background, against without", ...of(milliseconds), aim: 0.6 },
      { work: "turn at a host, processor time of the command", ...of(processorMilliseconds), aim: 0.6 },
    ];
  } finally {
    await ended(host, "SIGTERM");
    own.remove();
    other.remove();
  }
}

/** The time from the moment when a restarted host accepts connections until its client follows its session again. */
async function returnRow(): Promise<object> {
  const { home, remove } = createHome(model);
  let host = await serve(home);
  const socket = () => {
    const { addresses } = JSON.parse(readFileSync(join(home, ".scorel/run/host.json"), "utf8"));
    return addresses[0].address as string;
  };
  const version = JSON.parse(readFileSync(join(home, ".scorel/run/host.json"), "utf8")).version as string;
  const client = await connectHost({ dial: () => dialSocket(socket()), version });
  try {
    const { sessionId } = await client.request("create_session", { cwd: home });
    const { id } = await client.request("send_message", { sessionId, content: "go" });
    await client.request("wait_turn", { sessionId, id });
    let resumed = () => {};
    await client.subscribe(sessionId, () => {}, { resumed: () => resumed() });
    const waits: number[] = [];
    for (let n = 0; n < 5; n++) {
      const back = new Promise<void>((resolve) => {
        resumed = resolve;
      });
      await ended(host, "SIGKILL");
      host = await serve(home);
      const start = performance.now();
      await back;
      waits.push(performance.now() - start);
    }
    return { work: "back to live after the host is, the longest of five", value: Math.max(...waits), limit: 1_000 };
  } finally {
    await client.close();
    await ended(host, "SIGTERM");
    remove();
  }
}

console.log(JSON.stringify([...(await turnRows()), await returnRow()]));
