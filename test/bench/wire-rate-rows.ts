/**
 * Delay and cost of events for a hundred clients over WebSocket, compared with a server that sends each event to each
 * client.
 */
import { best, CLIENTS, createStage, flood, paced, type Run, run, type Sender } from "./wire-stage.ts";

const RATE = 400;
const RUNS = 3;
const FLOOD = 4_000;

await using stage = await createStage();
const { crowd, host, bare } = stage;

/**
 * Measures both servers alternately, so that other load on the machine affects both alike. Returns a function that
 * makes rows.
 */
async function inTurn(warmUp: number, count: number, send: (sender: Sender, count: number) => () => Promise<void>) {
  const runs: { ours: Run[]; bare: Run[] } = { ours: [], bare: [] };
  const measure = (sender: Sender) =>
    crowd.connected(sender, CLIENTS, async () => {
      await run(crowd, warmUp, send(sender, warmUp));
      return run(crowd, count, send(sender, count));
    });
  for (let n = 0; n < RUNS; n++) {
    runs.ours.push(await measure(host));
    runs.bare.push(await measure(bare));
  }
  return (work: string, of: (run: Run) => number, more: object) => ({
    work,
    value: best(runs.ours, of),
    baseline: best(runs.bare, of),
    ...more,
  });
}

/** Percent of a processor that a server uses while this many clients get 100 events a second. */
async function busy(sender: Sender, clients: number): Promise<number> {
  return crowd.connected(sender, clients, async () => {
    const runs: Run[] = [];
    for (let n = 0; n < RUNS; n++) runs.push(await run(crowd, 300, paced(sender, 300, 100)));
    return best(runs, ({ cpu, ms }) => (cpu / ms) * 100);
  });
}

/** Percent of a processor that a hundred clients cost more than one. */
async function watched(sender: Sender): Promise<number> {
  return (await busy(sender, CLIENTS)) - (await busy(sender, 1));
}

const count = RATE * 4;
const rate = await inTurn(RATE / 4, count, (sender, events) => paced(sender, events, RATE));
const flooded = await inTurn(200, FLOOD, flood);
const slow = `${CLIENTS} clients, ${RATE} events/s`;
const fast = `${CLIENTS} clients, as fast as possible`;
console.log(
  JSON.stringify([
    rate(`${slow}: p50`, ({ late }) => late.p50, { limit: 2 }),
    rate(`${slow}: p99`, ({ late }) => late.p99, { limit: 10 }),
    rate(`${slow}: CPU a delivery`, ({ cpu }) => (cpu * 1e3) / count / CLIENTS, { unit: "us" }),
    flooded(`${fast}: a delivery`, ({ ms }) => (ms * 1e3) / FLOOD / CLIENTS, { unit: "us", aim: 0.5 }),
    flooded(`${fast}: CPU a delivery`, ({ cpu }) => (cpu * 1e3) / FLOOD / CLIENTS, { unit: "us" }),
    {
      work: `100 events/s for ${CLIENTS} clients instead of one: more processor time`,
      value: await watched(host),
      baseline: await watched(bare),
      unit: "%",
      limit: 10,
    },
  ]),
);
