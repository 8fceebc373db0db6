/**
 * Clients of a host or of a bare WebSocket server, in a separate process, so that their cost is not measured. They
 * parse every message. Orders come over IPC; each is answered by a report.
 */
import { connect as connectSocket } from "node:net";
import { WebSocket } from "ws";
import { now, type Order, type Report, spread } from "./wire-orders.ts";

interface Stamped {
  event: { type: string; at?: number };
}

/** One connection, which counts its events and records their delays. */
class Watcher {
  count = 0;
  late: number[] = [];
  processed = 0;
  private reported = 0;
  private number = 0;
  readonly send: (message: object) => void;
  private readonly waiting = new Map<number, (message: object) => void>();
  private goal: { count: number; reached(): void } | undefined;

  constructor(send: (message: object) => void) {
    this.send = send;
  }

  /** Asks a host, and resolves with its response. */
  ask(message: object): Promise<object> {
    const requestId = ++this.number;
    return new Promise((resolve) => {
      this.waiting.set(requestId, resolve);
      this.send({ ...message, requestId });
    });
  }

  take(text: string): void {
    const message = JSON.parse(text);
    if (message.type === "response") this.waiting.get(message.requestId)?.(message);
    else if (message.type === "welcome") this.waiting.get(0)?.(message);
    else if (message.type === "events") {
      for (const delivered of message.events) this.hear(delivered);
      this.processed += text.length;
      if (this.processed - this.reported < 64 * 1024) return;
      this.reported = this.processed;
      this.send({ type: "processed", characters: this.processed });
    } else if (message.event) this.hear(message);
  }

  welcome(): Promise<object> {
    return new Promise((resolve) => {
      this.waiting.set(0, resolve);
      this.send({ type: "hello", protocol: 1, version: "bench" });
    });
  }

  /** Resolves when this many events have arrived in all. */
  until(count: number): Promise<void> {
    return new Promise((reached) => {
      this.goal = { count, reached };
      this.look();
    });
  }

  private hear({ event }: Stamped): void {
    this.count++;
    if (event.at !== undefined) this.late.push(now() - event.at);
    this.look();
  }

  private look(): void {
    if (!this.goal || this.count < this.goal.count) return;
    this.goal.reached();
    this.goal = undefined;
  }
}

let watchers: Watcher[] = [];
let closers: (() => void)[] = [];

async function open(url: string): Promise<Watcher> {
  if (url.startsWith("ws:")) {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
    const watcher = new Watcher((message) => socket.send(JSON.stringify(message)));
    socket.on("message", (data) => watcher.take(data.toString()));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    closers.push(() => {
      watcher.send({ type: "leave" });
      socket.close();
    });
    return watcher;
  }
  const socket = connectSocket(url);
  const watcher = new Watcher((message) => socket.write(`${JSON.stringify(message)}\n`));
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) watcher.take(line);
  });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  closers.push(() => socket.end(`${JSON.stringify({ type: "leave" })}\n`));
  return watcher;
}

const orders: { [K in Order["do"]]: (order: Extract<Order, { do: K }>) => Promise<Report> } = {
  async connect({ url, count, sessionId }) {
    for (let n = 0; n < count; n++) {
      const watcher = await open(url);
      watchers.push(watcher);
      if (sessionId === undefined) continue;
      await watcher.welcome();
      await watcher.ask({ type: "request", operation: "load_session", params: { sessionId } });
      await watcher.ask({ type: "subscribe", subscription: 1, sessionId, options: { joined: true } });
    }
    return {};
  },
  async hear({ count }) {
    for (const watcher of watchers) Object.assign(watcher, { count: 0, late: [] });
    const all = watchers.map((watcher) => watcher.until(count));
    // Reports that all clients are waiting, so that the events can be sent.
    process.send?.({});
    await Promise.all(all);
    return { at: now(), late: spread(watchers.flatMap(({ late }) => late)) };
  },
  async behind({ url, sessionId, options, count }) {
    const watcher = await open(url);
    if (sessionId !== undefined) {
      await watcher.welcome();
      await watcher.ask({ type: "request", operation: "load_session", params: { sessionId } });
    }
    const start = performance.now();
    const all = watcher.until(count);
    if (sessionId === undefined) watcher.ask({ type: "go" });
    else void watcher.ask({ type: "subscribe", subscription: 1, sessionId, options });
    await all;
    return { ms: performance.now() - start };
  },
  async close() {
    for (const close of closers) close();
    watchers = [];
    closers = [];
    return {};
  },
};

process.on("message", (order: Order) => {
  orders[order.do](order as never).then(
    (report) => process.send?.(report),
    (thrown) => {
      console.error(thrown);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));
