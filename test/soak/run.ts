/**
 * Lets clients use a host for a long time over unreliable connections, while the host is restarted repeatedly:
 * `npm run soak -- [--minutes 30] [--clients 20] [--sessions 4] [--loss 5] [--restart 300] [--seed n]`.
 * Run `npm run build` first. Prints the memory of each host, and where clients differ from the log; the exit code is 1
 * if any does.
 */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
// @ts-expect-error plain JavaScript, shared with the benchmarks
import { createHome } from "../bench/measure.mjs";
import { FaultProxy } from "../fault-proxy.ts";
import { startModelServer, text } from "../model-server.ts";
import { HostProcess } from "./host-process.ts";
import { SoakClient } from "./soak-client.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    clients: { type: "string", default: "20" },
    sessions: { type: "string", default: "4" },
    loss: { type: "string", default: "5" },
    restart: { type: "string", default: "300" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [minutes, clientCount, sessionCount, loss, restart] = [
  ...[values.minutes, values.clients, values.sessions, values.loss, values.restart],
].map(Number) as [number, number, number, number, number];
/** A connection breaks with the probability `loss` for each piece of this many bytes. */
const PIECE = 16 * 1024;
const QUIET_MS = 60_000;

const random = randomFrom(Number(values.seed));
const words = "Some words of a reply, which come in pieces. ".repeat(8);
const server = await startModelServer((_, index) => text(`${index} ${words}`, 20));
const { home, remove } = createHome(server.baseUrl) as { home: string; remove(): void };
const target = { path: "" };
const proxy = new FaultProxy(target, faults());
const front = `${home}/proxy.sock`;
await proxy.listen(front);
let host = await HostProcess.start(home);
target.path = host.socket;

const clients: SoakClient[] = [];
const sessions: string[] = [];
const problems: string[] = [];
console.log(`${minutes} min, ${clientCount} clients, ${sessionCount} sessions, seed ${values.seed}`);
try {
  await open();
  const end = Date.now() + minutes * 60_000;
  let restarts = 0;
  for (let next = Date.now() + restart * 1_000; Date.now() < end; ) {
    await sleep(500);
    host.sample();
    for (const client of clients) if (random() < 0.05) client.say(sessions);
    if (Date.now() < next || next >= end) continue;
    next += restart * 1_000;
    console.log(host.report());
    // Alternately killed and asked to stop.
    await host.end(restarts++ % 2 === 0 ? "SIGKILL" : "SIGTERM");
    host = await HostProcess.start(home);
    target.path = host.socket;
  }
  console.log(host.report());
  await compare();
  const sent = clients.reduce((sum, { sent }) => sum + sent, 0);
  console.log(`${restarts} restarts, ${proxy.connections} connections, ${sent} messages sent`);
} finally {
  for (const client of clients) await client.close();
  await host.end("SIGTERM");
  await proxy[Symbol.asyncDispose]();
  await server.close();
  remove();
  rmSync(front, { force: true });
}
for (const problem of [...problems, ...clients.flatMap((client) => client.problems)]) console.log(problem);
const count = problems.length + clients.reduce((sum, client) => sum + client.problems.length, 0);
console.log(`${count} divergences`);
process.exit(count > 0 ? 1 : 0);

async function open(): Promise<void> {
  for (let n = 0; n < clientCount; n++) clients.push(await SoakClient.connect(n, front, host.version));
  const [first] = clients as [SoakClient];
  for (let n = 0; n < sessionCount; n++) sessions.push(await first.create(home));
  await Promise.all(clients.map((client) => client.follow(sessions)));
}

/** Checks that once nothing happens any more, each client has exactly the events of the log. */
async function compare(): Promise<void> {
  proxy.become({});
  proxy.cut();
  const late = sleep(QUIET_MS, "late", { ref: false });
  for (const client of clients)
    if ((await Promise.race([client.quiet(sessions), late])) === "late")
      problems.push(`client ${client.number} is not up to date after ${QUIET_MS / 1_000} s`);
  const [first] = clients as [SoakClient];
  for (const sessionId of sessions) {
    const stored = await first.stored(sessionId);
    for (const client of clients) {
      const own = client.has(sessionId);
      if (own.join() !== stored.join())
        problems.push(
          `client ${client.number} has ${own.length} events of session ${sessionId}, the log has ${stored.length}; they differ first at ${stored.findIndex((id, at) => own[at] !== id)}`,
        );
    }
    console.log(`session ${sessionId}: ${stored.length} events`);
  }
}

function faults(): ConstructorParameters<typeof FaultProxy>[1] {
  return {
    delayMs: 1,
    after: () => {
      let bytes = PIECE * random();
      while (random() >= loss / 100) bytes += PIECE;
      return Math.round(bytes);
    },
  };
}

/** Pseudorandom numbers from 0 to 1 for a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
