import { connect } from "node:net";
import { expect, it } from "vitest";
import { fc, seed } from "../../property.ts";
import { raw, statusOf, testWeb, upgrade } from "./home.ts";

/** `RUNS=1000000` sends more requests. */
const REQUESTS = Number(process.env.RUNS ?? 5_000);

/** Sends bytes, ends the connection's direction, and waits for the end. Returns the first line of the response. */
function send(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    // After an upgrade, the connection stays open to wait for frames.
    const patience = setTimeout(() => socket.destroy(), 300);
    socket.on("data", (chunk) => {
      answer ||= chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(patience);
      resolve(answer.split("\r\n", 1)[0] as string);
    });
  });
}

it(`a web server keeps working, and does nothing without permission, whatever ${REQUESTS} requests and frames arrive`, {
  timeout: 120_000 + REQUESTS * 5,
}, async () => {
  await using t = await testWeb();
  const host = `Host: 127.0.0.1:${t.port}`;
  const token = `Authorization: Bearer ${t.token()}`;
  const json = ["Content-Type: application/json", "Content-Length: 13"];
  const seeds = [
    ["GET /healthz HTTP/1.1", host],
    ["POST /touch HTTP/1.1", host, "Content-Length: 0"],
    ["POST /operations/list_sessions HTTP/1.1", host, token, ...json, "", '{"limit": 10}'],
    ["POST /access HTTP/1.1", host, ...json, "", '{"code": "ab"}'],
    ["GET /sessions/none/events?tail=all HTTP/1.1", host, token, "Last-Event-ID: e30"],
    ["GET /openapi.json HTTP/1.1", host, token],
    ["GET /ws HTTP/1.1", host, ...upgrade],
    ["GET /ws HTTP/1.1", host, token, ...upgrade],
  ].map((lines) => `${lines.join("\r\n")}${lines.includes("") ? "" : "\r\n\r\n"}`);
  const frame = fc
    .tuple(fc.nat(255), fc.nat(255), fc.uint8Array({ maxLength: 200 }))
    .map(([first, second, rest]) => Buffer.from([first, second, ...rest]));
  const mutated = fc
    .tuple(fc.constantFrom(...seeds), fc.nat(), fc.string({ unit: "binary", maxLength: 4 }), fc.nat(6))
    .map(([text, at, put, cut]) => {
      const from = at % text.length;
      return Buffer.from(text.slice(0, from) + put + text.slice(from + cut));
    });
  const framed = fc
    .tuple(fc.constantFrom(...seeds.slice(-2)), fc.array(frame, { maxLength: 5 }))
    .map(([text, frames]) => Buffer.concat([Buffer.from(text), ...frames]));
  const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const before = process.memoryUsage().rss;
  const answers = new Set<number>();
  for (let sent = 0; sent < REQUESTS; sent += 1_000) {
    const all = fc.sample(fc.oneof(mutated, framed, noise), { numRuns: 1_000, seed: seed + sent });
    for (let at = 0; at < all.length; at += 20)
      for (const line of await Promise.all(all.slice(at, at + 20).map((bytes) => send(t.port, bytes))))
        answers.add(statusOf(line));
  }
  expect([...answers].filter((status) => status >= 500)).toEqual([]);
  // `/touch` needs the token, and no request with the token asks for it.
  expect(t.touched).toEqual([]);
  expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(300);
  const health = ["GET /healthz HTTP/1.1", host, "Connection: close"];
  expect(statusOf(await raw(t.port, health))).toBe(200);
  const client = await t.connect();
  expect(await client.request("list_sessions", {})).toMatchObject({ sessions: [] });
});
