/**
 * How long a client that missed 10,000 events waits for them, compared with a server that only sends them, and the
 * memory of idle clients.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { usedBytes } from "../memory.ts";
import { createStage, type Sender, words } from "./wire-stage.ts";

const EVENTS = 10_000;
const RUNS = 7;
const IDLE = 200;

await using stage = await createStage();
const { crowd, client, host, bare, said } = stage;

async function behindRows(): Promise<object[]> {
  const { sessionId } = await client.request("create_session", { cwd: stage.cwd });
  const texts: string[] = [];
  const end = await client.subscribe(sessionId, (delivered) => void texts.push(JSON.stringify(delivered)));
  for (let n = 0; n < EVENTS; n++) void said.append(`${n} ${words}`);
  await client.drained(sessionId);
  await end();
  const frames: string[] = [];
  for (let at = 0; at < EVENTS; at += 256)
    frames.push(`{"type":"events","subscription":1,"events":[${texts.slice(at, at + 256)}]}`);
  bare.hold(frames);
  const wait = async (sender: Sender, more: object = {}) =>
    (await crowd.send({ do: "behind", url: sender.url, count: EVENTS, ...more })).ms as number;
  const ours = () => wait(host, { sessionId, options: { joined: true, tail: "all" } });
  const isOpen = async () => {
    const { sessions } = await client.request("list_sessions", {});
    return sessions.some((row) => row.sessionId === sessionId && row.running !== undefined);
  };
  const times = { floor: [] as number[], memory: [] as number[], file: [] as number[] };
  for (let n = 0; n < RUNS; n++) {
    times.floor.push(await wait(bare));
    times.memory.push(await ours());
    await crowd.send({ do: "close" });
    if (n === 0) await client.request("close_session", { sessionId });
    while (await isOpen()) await sleep(5);
    times.file.push(await ours());
  }
  const [floor = 0, memory, file] = Object.values(times).map((values) => Math.min(...values));
  const row = (from: string, value: number | undefined, ms: number) => ({
    work: `${EVENTS.toLocaleString("en")} events behind, ${from}`,
    value,
    baseline: floor,
    limit: Math.max(ms, 2 * floor),
  });
  return [row("session open", memory, 50), row("session just opened", file, 80)];
}

async function idleKilobytes(): Promise<number> {
  await crowd.connected(host, IDLE, async () => {});
  const before = await usedBytes();
  return crowd.connected(host, IDLE, async () => ((await usedBytes()) - before) / IDLE / 1024);
}

const idle = {
  work: "memory of an idle client that follows a session",
  value: await idleKilobytes(),
  unit: "KB",
  limit: 30,
};
console.log(JSON.stringify([...(await behindRows()), idle]));
