/** The stage of the wire rows: a host, a server that only sends given events, and a process with clients of either. */
import { type ChildProcess, fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Delivered } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { Gateway } from "../../plugins/gateway/gateway.ts";
import { socketChannel } from "../../plugins/ws/channel.ts";
import { echoAgent, testHome, testHost } from "../plugins/host/home.ts";
import { now, type Order, type Report, type Spread } from "./wire-orders.ts";

export const CLIENTS = 100;
export const words = "A line of a conversation, as it is. ".repeat(5);
const MAX_UNSENT = 1024 * 1024;

/** A plugin that emits or appends given texts. */
function createTalker() {
  const said: { emit(text: string, at: number): void; append(text: string): Promise<unknown> } = {
    emit: () => {},
    append: async () => {},
  };
  const plugin = definePlugin({
    id: "talker",
    name: "Talker",
    version: "1.0.0",
    events: {
      words: { schema: z.strictObject({ text: z.string(), at: z.number() }), transient: true },
      line: { schema: z.strictObject({ text: z.string() }) },
    },
    activate: (ctx) => {
      const session = ctx.session as any;
      said.emit = (text, at) => session.emit("words", { text, at });
      said.append = (text) => session.append("line", { text });
    },
  });
  return { plugin, said };
}

/** The process with the clients. */
export class Crowd {
  private readonly child: ChildProcess = fork(process.env.BENCH_BESIDE as string, { stdio: ["ignore", 2, 2, "ipc"] });
  private readonly waiting: ((report: Report) => void)[] = [];

  constructor() {
    this.child.on("message", (report: Report) => this.waiting.shift()?.(report));
    this.child.on("exit", (code) => {
      if (code !== 0) throw new Error(`the process with the clients ended with ${code}`);
    });
  }

  send(order: Order): Promise<Report> {
    const report = this.next();
    this.child.send(order);
    return report;
  }

  /** Resolves with the next report. */
  next(): Promise<Report> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  end(): void {
    this.child.disconnect();
  }

  /** Keeps this many clients connected while `use` runs. */
  async connected<T>({ url, sessionId }: Sender, count: number, use: () => Promise<T>): Promise<T> {
    await this.send({ do: "connect", url, count, sessionId });
    try {
      return await use();
    } finally {
      await this.send({ do: "close" });
      await sleep(50);
    }
  }
}

/** A server that sends events to all its clients. */
export interface Sender {
  url: string;
  sessionId?: string;
  emit(at: number): void;
  /** Resolves when the buffers are short enough to send more. */
  ready(): Promise<unknown>;
}

export interface Run {
  late: Spread;
  /** Elapsed milliseconds, and milliseconds of processor time. */
  ms: number;
  cpu: number;
}

/** Sends `count` events to connected clients, and waits until all clients have reported that they got them. */
export async function run(crowd: Crowd, count: number, send: () => Promise<void>): Promise<Run> {
  await crowd.send({ do: "hear", count });
  const heard = crowd.next();
  const [start, cpu] = [now(), process.cpuUsage()];
  await send();
  const { at, late } = (await heard) as Required<Report>;
  const { user, system } = process.cpuUsage(cpu);
  return { late, ms: at - start, cpu: (user + system) / 1e3 };
}

/** Sends `count` events, `rate` a second. */
export function paced(sender: Sender, count: number, rate: number): () => Promise<void> {
  return async () => {
    const start = performance.now();
    // A timer for each event would cost more than the event itself, so events that are due are sent together.
    for (let sent = 0; sent < count; await sleep(start + (sent * 1e3) / rate - performance.now())) {
      const due = Math.min(count, Math.ceil(((performance.now() - start) / 1e3) * rate));
      for (; sent < due; sent++) sender.emit(now());
    }
  };
}

/** Sends events as fast as possible, twenty in each turn of the event loop. */
export function flood(sender: Sender, count: number): () => Promise<void> {
  return async () => {
    for (let sent = 1; sent <= count; sent++) {
      sender.emit(now());
      if (sent % 20 === 0) await sender.ready();
    }
  };
}

export function best<T>(runs: readonly T[], of: (run: T) => number): number {
  return Math.min(...runs.map(of));
}

async function listen(accept: (socket: WebSocket, connection: Socket) => void) {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (socket, request) => accept(socket, request.socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}

/** A server that sends the same text to each client, event by event. */
async function bareSender(sample: { event: object }) {
  const clients = new Set<WebSocket>();
  let held: readonly string[] = [];
  const server = await listen((socket) => {
    clients.add(socket);
    socket.once("close", () => clients.delete(socket));
    socket.on("message", (message) => {
      if (String(message).includes('"go"')) for (const text of held) socket.send(text);
    });
  });
  return {
    ...server,
    emit: (at: number) => {
      const text = JSON.stringify({ ...sample, event: { ...sample.event, at } });
      for (const socket of clients) socket.send(text);
    },
    ready: async () => {
      do await nextTurn();
      while ([...clients].some((socket) => socket.bufferedAmount > MAX_UNSENT));
    },
    /** Sets the messages for clients that ask for all at once. */
    hold: (texts: readonly string[]) => {
      held = texts;
    },
  };
}

/** Starts a host with a session, and the bare server, which sends events of the same size. */
export async function createStage() {
  const home = testHome();
  const { plugin, said } = createTalker();
  const t = await testHost([echoAgent, plugin]);
  const logger = { info: () => {}, warn: console.error };
  const gateway = new Gateway({ host: t.host, version: "bench", logger });
  const server = await listen((socket, connection) =>
    gateway.accept(socketChannel(socket, { connection }), { transport: "ws", admit: () => ({}) }),
  );
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const samples: Delivered[] = [];
  await t.client.subscribe(sessionId, (delivered) => void samples.push(delivered));
  said.emit(words, 0);
  await t.client.drained(sessionId);
  const bare = await bareSender(samples[0] as Delivered);
  const crowd = new Crowd();
  const host: Sender = { url: server.url, sessionId, emit: (at) => said.emit(words, at), ready: () => nextTurn() };
  return {
    client: t.client,
    cwd: home.cwd,
    said,
    host,
    bare,
    crowd,
    async [Symbol.asyncDispose]() {
      crowd.end();
      bare.close();
      await gateway.dismiss("the bench ends", false);
      server.close();
      await t.kernel.stop();
      home[Symbol.dispose]();
    },
  };
}
