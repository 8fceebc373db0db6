import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect as connectTo, type Socket } from "node:net";
import { join } from "node:path";
import { connectHost, type RemoteClient } from "@scorel/host/client";
import type { Delivered } from "@scorel/host/contract";
import { describe, expect, it } from "vitest";
import { scanLog } from "../../plugins/logs/scan.ts";
import { dialSocket } from "../../plugins/socket/socket.ts";
import { type RunOptions, type Scratch, scratch } from "../e2e/scorel.ts";
import { startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { type SmallDisk, smallFileSystem } from "./disk.ts";

const serving = ["host", "serve", "--foreground"];
const all = { tail: Number.POSITIVE_INFINITY };

/** Starts a host in the home of the scratch, or in that of `options.env`. */
async function serve(s: Scratch, options: RunOptions = {}, more: readonly string[] = []) {
  const host = s.start([...serving, ...more], options);
  await host.line((line) => line.startsWith("socket: "));
  const home = options.env?.HOME ?? s.home;
  const { addresses } = JSON.parse(readFileSync(join(home, ".scorel/run/host.json"), "utf8"));
  const [socket, ...others] = addresses.map(({ address }: { address: string }) => address) as [string, ...string[]];
  const times = { firstRetry: 20, lastRetry: 100 };
  return {
    ...host,
    socket,
    others,
    connect: () => connectHost({ dial: () => dialSocket(socket), version: "1.0.0", times }),
    stop: async () => {
      host.child.kill("SIGTERM");
      return (await host.finished).code;
    },
  };
}

async function follow(client: RemoteClient, sessionId: string) {
  const kept: Delivered["event"][] = [];
  await client.subscribe(sessionId, ({ event }) => void ("id" in event && kept.push(event)), all);
  return kept;
}

/** Sends a message, and returns the reply or the code of the error. */
async function ask(client: RemoteClient, sessionId: string, content: string): Promise<string> {
  try {
    const { id } = await client.request("send_message", { sessionId, content });
    const { reason, text, error } = await client.request("wait_turn", { sessionId, id });
    return reason === "completed" ? text.trim() : `${reason}: ${error?.code}`;
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
}

describeWith("mounts", "a disk that is full under a turn of a host", () => {
  it("refuses what cannot be stored, tells all clients, and goes on when there is room, without a restart", async () => {
    using s = scratch();
    using small = smallFileSystem(32 * 1024) as SmallDisk;
    let fill = () => {};
    await using server = await startModelServer((_, index) => {
      if (index === 1) fill();
      return text(`reply ${index} ${"of many words ".repeat(500)}`);
    });
    s.useModel(server.baseUrl);
    const config = readFileSync(join(s.home, ".scorel/config.toml"), "utf8");
    mkdirSync(join(small.directory, ".scorel"), { recursive: true });
    writeFileSync(join(small.directory, ".scorel/config.toml"), config);
    const host = await serve(s, { env: { HOME: small.directory } });
    const clients = await Promise.all([1, 2, 3].map(() => host.connect()));
    const [first, second] = clients as [RemoteClient, RemoteClient];
    const { sessionId } = await first.request("create_session", { cwd: s.project });
    const followers = await Promise.all(clients.map((client) => follow(client, sessionId)));
    expect(await ask(first, sessionId, "one")).toContain("reply 0");
    fill = () => small.fill?.();
    expect(await ask(first, sessionId, "two")).toBe("error: STORE_WRITE");
    // Other sessions and clients are not affected.
    expect(await second.request("list_sessions", {})).toMatchObject({ sessions: [{ sessionId }] });
    expect(await ask(second, sessionId, `three ${"x".repeat(10_000)}`)).toMatch(/STORE_WRITE/);
    small.free?.();
    expect(await ask(second, sessionId, "four")).toContain("of many words");
    await Promise.all(clients.map((client) => client.drained(sessionId)));
    const { events } = await second.request("get_events", { sessionId });
    const bytes = JSON.stringify(events.map(({ event }) => event));
    expect(followers.map((kept) => JSON.stringify(kept))).toEqual([bytes, bytes, bytes]);
    await Promise.all(clients.map((client) => client.close()));
    await host.stop();
    const log = scanLog(join(small.directory, ".scorel/sessions", `${sessionId}.jsonl`));
    expect([log.problems, log.events.length]).toEqual([[], events.length]);
  });
});

/**
 * Runs in the host: after a signal, Date is one hour behind, as when the system's clock is corrected; timers are not
 * affected.
 */
const clock = `
const Real = Date;
let back = 0;
globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() - back);
    else super(...given);
  }
  static now() {
    return Real.now() - back;
  }
};
process.on("SIGUSR2", () => {
  back = 3_600_000;
});
`;

describe("a clock that goes back an hour", () => {
  it("changes no order, ends no client and no session, and is stored as it is", async () => {
    using s = scratch();
    await using server = await startModelServer((_, index) => text(`reply ${index}`));
    s.useModel(server.baseUrl);
    const env = { NODE_OPTIONS: `--require=${s.file("~/clock.cjs", clock)}` };
    const host = await serve(s, { env });
    const [first, second] = [await host.connect(), await host.connect()];
    const states: string[] = [];
    first.onState(({ state }) => void states.push(state));
    const { sessionId } = await first.request("create_session", { cwd: s.project });
    const kept = await follow(second, sessionId);
    expect(await ask(first, sessionId, "one")).toBe("reply 0");
    host.child.kill("SIGUSR2");
    expect(await ask(second, sessionId, "two")).toBe("reply 1");
    expect(await ask(first, sessionId, "three")).toBe("reply 2");
    await second.drained(sessionId);
    const { events } = await first.request("get_events", { sessionId });
    expect(kept).toEqual(events.map(({ event }) => event));
    const seqs = kept.map((event) => (event as unknown as { seq: number }).seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(kept.map((event) => (event as { id: string }).id)).size).toBe(kept.length);
    const times = kept.flatMap((event) => (event as unknown as { ts?: number }).ts ?? []);
    expect(Math.max(...times) - (times.at(-1) as number)).toBeGreaterThan(3_000_000);
    expect(states).toEqual([]);
    expect((await s.run(["host", "status"])).code).toBe(0);
    const { anchor } = (await first.request("get_status", { sessionId })) as { anchor: object };
    expect(await host.stop()).toBe(143);
    // The next host has the correct time.
    const next = await serve(s);
    const late = await next.connect();
    await late.request("load_session", { sessionId });
    const again = await late.request("get_events", { sessionId });
    expect(again.events.slice(0, events.length)).toEqual(events);
    const resumed = await late.subscribe(sessionId, () => {}, { anchor: anchor as never });
    expect(resumed.mode).toBe("persistent_fallback");
    expect(await ask(late, sessionId, "four")).toBe("reply 3");
    await Promise.all([first, second, late].map((client) => client.close()));
    await next.stop();
    expect(scanLog(join(s.home, ".scorel/sessions", `${sessionId}.jsonl`)).problems).toEqual([]);
  });
});

describe("1,000 connections that say nothing", () => {
  /** Opens connections, and keeps those that are accepted. */
  const flood = (open: () => Socket) => {
    const sockets = Array.from({ length: 1_000 }, open);
    for (const socket of sockets) socket.on("error", () => {}).resume();
    return () =>
      Promise.all(
        sockets.map(
          (socket) => new Promise((resolve) => (socket.destroyed ? resolve(0) : socket.once("close", resolve))),
        ),
      );
  };

  it("neither disturb clients nor stay, at the socket and at a port", async () => {
    using s = scratch();
    const host = await serve(s, {}, ["--port", "0"]);
    const client = await host.connect();
    const port = Number(new URL(host.others[0] as string).port);
    const states: string[] = [];
    client.onState(({ state }) => void states.push(state));
    for (const open of [() => connectTo(port, "127.0.0.1"), () => connectTo(host.socket)]) {
      const gone = flood(open);
      for (let n = 0; n < 100; n++) await client.request("list_sessions", {});
      await gone();
      const late = await host.connect();
      expect(await late.request("ping", {})).toEqual({ pong: true });
      await late.close();
    }
    expect(states).toEqual([]);
    const health = await new Promise<string>((resolve) => {
      const socket = connectTo(port, "127.0.0.1", () =>
        socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
      );
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("close", () => resolve(answer));
    });
    expect(health).toContain("200 OK");
    await client.close();
    expect(await host.stop()).toBe(143);
  });
});
