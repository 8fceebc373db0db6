/**
 * The cost of a relay: the delay of events, its own processor time and memory, and the cost of encryption at both ends.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import { connectRelay } from "../../plugins/relay/peer/connection.ts";
import { nodeSocket } from "../../plugins/relay/peer/node-socket.ts";
import { encodeFrame } from "../../plugins/relay/protocol/frames.ts";
import { signGrant } from "../../plugins/relay/protocol/grants.ts";
import { createIdentity } from "../../plugins/relay/protocol/identity.ts";
import { TAG_BYTES } from "../../plugins/relay/protocol/primitives.ts";
import { SecureChannel } from "../../plugins/relay/protocol/secure-channel.ts";
import { EVENT_BYTES, eventAt } from "./relay-orders.ts";
import { Helper, hostBehind, identity, webSocket } from "./relay-stage.ts";
import { now, spread } from "./wire-orders.ts";

const RUNS = 5;
const EVENTS = { count: 800, rate: 200 };
const HELD = Number(process.env.BENCH_HELD ?? 8_000);
/** Bytes of an encrypted and padded event, as a relay carries it. */
const PAYLOAD = 1_024 + 16;
const PAIRS = 8;
/** Messages in one write of a pair. */
const BATCH = 200;

const relay = await Helper.start("relay");
const bare = await Helper.start("bare");
const host = await Helper.start("host");
const direct = await Helper.start("host");

/** The median delay of events, in milliseconds. Each is sent long after the one before has arrived. */
async function late(from: Helper, hear: (heard: (text: string) => void) => void): Promise<number> {
  const samples: number[] = [];
  hear((text) => void samples.push(now() - (JSON.parse(text) as { at: number }).at));
  await from.ask({ do: "pace", ...EVENTS });
  while (samples.length < EVENTS.count) await new Promise((resolve) => setTimeout(resolve, 5));
  return spread(samples.splice(EVENTS.count / 4)).p50;
}

async function latencyRows() {
  const behind = await hostBehind(host.helper, relay.url);
  const connection = await behind.connect();
  const { url = "" } = await direct.helper.ask({ do: "serve" });
  const times: { ours: number[]; direct: number[] } = { ours: [], direct: [] };
  for (let run = 0; run < RUNS; run++) {
    const channel = await behind.open(connection);
    times.ours.push(await late(host.helper, (heard) => channel.open({ message: heard, closed: () => {} })));
    channel.close();
    const socket = await webSocket(url);
    times.direct.push(await late(direct.helper, (heard) => void socket.on("message", (data) => heard(String(data)))));
    socket.close();
    await once(socket, "close");
  }
  const handshakes: number[] = [];
  for (let run = 0; run < 40; run++) {
    const start = performance.now();
    const own = await behind.connect();
    const channel = await behind.open(own);
    handshakes.push(performance.now() - start);
    channel.close();
    own.close();
  }
  connection.close();
  const more = Math.min(...times.ours) - Math.min(...times.direct);
  return [
    {
      work: "an event through a relay, sealed: p50",
      value: Math.min(...times.ours),
      baseline: Math.min(...times.direct),
    },
    { work: "an event through a relay, sealed: p50 more than direct", value: more, limit: 0.25 },
    { work: "from nothing to a channel through a relay", value: spread(handshakes).p50, limit: 20 },
  ];
}

interface Pair {
  from: Socket;
  to: Socket;
  /** Bytes of one message as it arrives, and a buffer with BATCH messages as they are sent. */
  size: number;
  batch: Buffer;
}

/** The connection below a WebSocket, taken over so that the WebSocket does not read it. */
function below(socket: WebSocket): Socket {
  const { _socket: connection } = socket as unknown as { _socket: Socket };
  return connection.removeAllListeners("data").resume();
}

/** BATCH messages as a client sends them: with a mask, which is all zeros. */
function masked(message: Uint8Array): Buffer {
  const header = Buffer.from([0x82, 0x80 | 126, message.length >> 8, message.length & 0xff, 0, 0, 0, 0]);
  const one = Buffer.concat([header, message]);
  return Buffer.concat(Array<Buffer>(BATCH).fill(one));
}

async function relayPairs(): Promise<Pair[]> {
  const connected = async (role: "host" | "client", own: typeof identity, incoming = () => {}) => {
    let socket: unknown;
    const make = (...given: Parameters<typeof nodeSocket>) => {
      const made = nodeSocket(...given);
      socket = made;
      return made;
    };
    const options = { address: relay.url, who: { role, identity: own }, primitives: nodeCrypto, make };
    return { connection: await connectRelay({ ...options, events: { incoming } }), socket: () => socket as WebSocket };
  };
  const notAfter = BigInt(Math.floor(Date.now() / 1_000) + 3_600);
  const pair = async (): Promise<Pair> => {
    const own = await createIdentity(nodeCrypto);
    let there = () => {};
    const came = new Promise<void>((resolve) => {
      there = resolve;
    });
    const from = await connected("host", own, there);
    const to = await connected("client", identity);
    const route = to.connection.open(await signGrant(own, { clientId: identity.id, serial: 1n, notAfter }));
    await came;
    const frame = encodeFrame("data", route.id, new Uint8Array(PAYLOAD));
    return { from: below(from.socket()), to: below(to.socket()), size: PAYLOAD + 13, batch: masked(frame) };
  };
  return Promise.all(Array.from({ length: PAIRS }, pair));
}

async function barePairs(): Promise<Pair[]> {
  const pair = async (_: unknown, at: number): Promise<Pair> => {
    const [from, to] = [await webSocket(`${bare.url}/${at}`), await webSocket(`${bare.url}/${at}`)];
    const message = new Uint8Array(PAYLOAD + 13);
    return { from: below(from), to: below(to), size: message.length, batch: masked(message) };
  };
  return Promise.all(Array.from({ length: PAIRS }, pair));
}

/**
 * Sends this many batches over a pair, at most two at a time before they have arrived. Arrived messages are counted by
 * their bytes.
 */
function flood({ from, to, size, batch }: Pair, batches: number): Promise<void> {
  return new Promise((resolve) => {
    let [arrived, sent] = [0, 0];
    const more = () => {
      // The headers of WebSocket messages are only a few bytes, however the frames are grouped.
      const done = Math.floor(arrived / (size * BATCH));
      for (; sent < batches && sent < done + 2; sent++) from.write(batch);
      if (done < batches) return;
      to.off("data", take);
      resolve();
    };
    const take = (data: Buffer) => {
      arrived += data.length;
      more();
    };
    to.on("data", take);
    more();
  });
}

async function rateRows() {
  const measure = async (helper: Helper, pairs: Pair[], batches: number) => {
    const { cpu: before = 0 } = await helper.ask({ do: "cost" });
    const start = performance.now();
    await Promise.all(pairs.map((pair) => flood(pair, batches)));
    const seconds = (performance.now() - start) / 1e3;
    const { cpu: after = 0 } = await helper.ask({ do: "cost" });
    const messages = PAIRS * batches * BATCH;
    return { rate: messages / seconds, cpu: (after - before) / messages };
  };
  const [ours, theirs] = [await relayPairs(), await barePairs()];
  const runs: { ours: { rate: number; cpu: number }[]; bare: { rate: number; cpu: number }[] } = { ours: [], bare: [] };
  for (let run = -1; run < RUNS; run++) {
    const batches = run < 0 ? 5 : 40;
    const [own, other] = [await measure(relay.helper, ours, batches), await measure(bare.helper, theirs, batches)];
    if (run < 0) continue;
    runs.ours.push(own);
    runs.bare.push(other);
  }
  for (const { from, to } of [...ours, ...theirs]) for (const socket of [from, to]) socket.destroy();
  const fastest = (of: { rate: number }[]) => Math.max(...of.map(({ rate }) => rate));
  const cheapest = (of: { cpu: number }[]) => Math.min(...of.map(({ cpu }) => cpu));
  const size = `messages of ${PAYLOAD} bytes`;
  return [
    {
      work: `a relay: ${size}, each`,
      value: 1e6 / fastest(runs.ours),
      baseline: 1e6 / fastest(runs.bare),
      unit: "us",
      limit: 25,
    },
    {
      work: `a relay: ${size}, CPU each`,
      value: cheapest(runs.ours),
      baseline: cheapest(runs.bare),
      unit: "us",
      limit: 12,
    },
  ];
}

/** Kilobytes of memory that a server needs for an idle connection. */
async function held(helper: Helper, url: string, isRelay: boolean): Promise<number> {
  const crowd = await Helper.start("idle");
  await crowd.helper.ask({ do: "hold", url, count: HELD / 10, isRelay });
  const { memory: before = 0 } = await helper.ask({ do: "cost" });
  await crowd.helper.ask({ do: "hold", url, count: HELD, isRelay });
  const { memory: after = 0 } = await helper.ask({ do: "cost" });
  crowd.helper.end();
  return (after - before) / HELD / 1_024;
}

/** Microseconds to encrypt an event and to decrypt it again, without a network in between. */
async function sealing(): Promise<{ seal: number; open: number }> {
  const other = await createIdentity(nodeCrypto);
  const ends = {} as { client: SecureChannel; host: SecureChannel };
  let sealed: Uint8Array<ArrayBuffer>[] = [];
  let isKept = false;
  const end = (role: "client" | "host") =>
    new SecureChannel({
      ...{ primitives: nodeCrypto, role, now: () => performance.now() },
      identity: role === "client" ? identity : other,
      peer: (role === "client" ? other : identity).publicKeys,
      route: {
        id: 1n,
        send: (bytes) => {
          if (isKept) sealed.push(bytes);
          else ends[role === "client" ? "host" : "client"].receive(bytes);
        },
        close: () => {},
      },
    });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  ends.host = end("host");
  ends.client = end("client");
  for (let n = 0; n < 10; n++) await turn();
  let heard = 0;
  ends.client.open({ message: () => void heard++, closed: () => {} });
  isKept = true;
  const text = eventAt(now());
  const count = 2_000;
  const times = { seal: [] as number[], open: [] as number[] };
  for (let run = 0; run < 30; run++) {
    sealed = [];
    let start = performance.now();
    for (let n = 0; n < count; n++) {
      ends.host.send(text);
      // Waits for each, so that no two events share a message.
      while (sealed.length <= n) await undefined;
    }
    times.seal.push(((performance.now() - start) * 1e3) / count);
    start = performance.now();
    heard = 0;
    for (const bytes of sealed) ends.client.receive(bytes);
    while (heard < count) await undefined;
    times.open.push(((performance.now() - start) * 1e3) / count);
  }
  return { seal: Math.min(...times.seal), open: Math.min(...times.open) };
}

/** The same bytes with node:crypto alone, in microseconds. */
function bareSealing(): { seal: number; open: number } {
  const [key, nonce, associated] = [randomBytes(32), new Uint8Array(12), new Uint8Array(17)];
  const plain = new Uint8Array(PAYLOAD - TAG_BYTES);
  const options = { authTagLength: TAG_BYTES };
  const seal = () => {
    const cipher = createCipheriv("aes-256-gcm", key, nonce, options).setAAD(associated);
    const sealed = [cipher.update(plain), cipher.final()] as const;
    return { sealed: sealed[0], tag: cipher.getAuthTag() };
  };
  const { sealed, tag } = seal();
  const open = () => {
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, options).setAAD(associated).setAuthTag(tag);
    decipher.update(sealed);
    return decipher.final();
  };
  const count = 2_000;
  const best = (work: () => unknown) =>
    Math.min(
      ...Array.from({ length: 30 }, () => {
        const start = performance.now();
        for (let n = 0; n < count; n++) work();
        return ((performance.now() - start) * 1e3) / count;
      }),
    );
  return { seal: best(seal), open: best(open) };
}

const words = process.env.BENCH_PART ?? "latency rate held sealing";
const rows: object[] = [];
if (words.includes("sealing")) {
  const [{ seal, open }, bare] = [await sealing(), bareSealing()];
  const event = `an event of ${EVENT_BYTES} bytes`;
  rows.push({ work: `sealing ${event}`, value: seal, baseline: bare.seal, unit: "us", limit: 10 });
  rows.push({ work: `opening ${event}`, value: open, baseline: bare.open, unit: "us", limit: 10 });
}
if (words.includes("latency")) rows.push(...(await latencyRows()));
if (words.includes("rate")) rows.push(...(await rateRows()));
if (words.includes("held")) {
  const [value, baseline] = [await held(relay.helper, relay.url, true), await held(bare.helper, bare.url, false)];
  rows.push({ work: `a relay: an idle connection of ${HELD}`, value, baseline, unit: "KB", limit: 8 });
}
for (const { helper } of [relay, bare, host, direct]) helper.end();
console.log(JSON.stringify(rows));
process.exit(0);
