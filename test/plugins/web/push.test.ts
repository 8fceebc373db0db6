import { createPublicKey, type JsonWebKeyInput, verify } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { SessionChange } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import requests from "@scorel/requests";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ui } from "../../../kernel/types.ts";
import web from "../../../plugins/web/index.ts";
import { DELAY_MS, LONG_TURN_MS, News } from "../../../plugins/web/push/news.ts";
import { endpointIn } from "../../../plugins/web/push/services.ts";
import { SIGHT_MS } from "../../../plugins/web/push/sight.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";

const PAGE = "0123456789abcdef";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

/** A request to the push service. */
interface Pushed {
  method: string | undefined;
  path: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  bytes: number;
}

/** A push service on this computer, which answers with `status`. */
async function pushService() {
  const pushed: Pushed[] = [];
  const answer = { status: 201 };
  const server = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    const { method, url: path, headers } = request;
    pushed.push({ method, path, headers, bytes });
    response.writeHead(answer.status, { Location: "/elsewhere" }).end("what it says");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { pushed, answer, origin, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** A host with a session in which a plugin can ask. Its page counts as logged in while `letIn` returns true. */
async function stage(config?: { pushContact?: string }) {
  const home = testHome();
  const service = await pushService();
  const held: { ui?: Ui } = {};
  const asker = definePlugin({
    id: "asker",
    name: "Asker",
    version: "1.0.0",
    activate: (ctx) => {
      held.ui = ctx.ui;
    },
  });
  const letIn = new Set([PAGE]);
  const server = definePlugin({
    id: "web-server",
    name: "Web server",
    version: "1.0.0",
    scope: "host",
    provides: ["webServer"],
    activate: (ctx) => void ctx.provide("webServer", { address: undefined, isLetIn: async (id) => letIn.has(id) }),
  });
  const entry = { plugin: web, origin: "test", config: { pushServices: [service.origin], ...config } };
  const t = await testHost([echoAgent, requests, asker], [], [server, entry]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const subscribe = async (client = t.client, path = "/to/this-browser") => {
    const { id } = await client.request("subscribe_push", {
      endpoint: service.origin + path,
      page: PAGE,
      origin: "http://127.0.0.1:7777",
    });
    return id;
  };
  return {
    ...t,
    home,
    service,
    letIn,
    sessionId,
    subscribe,
    stored: () => JSON.parse(readFileSync(join(home.home, ".scorel/host/push.json"), "utf8")),
    /** Asks a question in the session; resolves when it is open. */
    ask: async () => {
      const answer = held.ui?.confirm("Sure?", { default: false });
      const list = async () => (await t.client.request("list_requests", { sessionId })).requests;
      await expect.poll(async () => (await list()).length).toBe(1);
      const requestId = (await list())[0]?.requestId ?? "";
      return {
        answer: answer as Promise<unknown>,
        reply: () => t.client.request("answer_request", { sessionId, requestId, answer: "y" }),
      };
    },
    [Symbol.asyncDispose]: async () => {
      await t[Symbol.asyncDispose]();
      await service.close();
      home[Symbol.dispose]();
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** The claims in a pushed token, if they are signed with the pushed key. */
function claimsIn({ headers }: Pushed, key: string): unknown {
  const [, token = "", given] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(String(headers.authorization)) ?? [];
  expect(given).toBe(key);
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" } as JsonWebKeyInput);
  const signed = Buffer.from(signature, "base64url");
  expect(
    verify("sha256", Buffer.from(`${head}.${claims}`), { key: publicKey, dsaEncoding: "ieee-p1363" }, signed),
  ).toBe(true);
  const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(parse(head)).toEqual({ typ: "JWT", alg: "ES256" });
  return parse(claims);
}

describe("a browser that has asked for pushes", () => {
  it("gets one without content, signed by the host's key, when a question stays open", async () => {
    await using t = await stage({ pushContact: "mailto:me@example.org" });
    const { key } = await t.client.request("get_push_key", {});
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    await t.subscribe();
    await t.ask();
    expect(t.service.pushed).toEqual([]);
    await pass(DELAY_MS);
    await expect.poll(() => t.service.pushed).toHaveLength(1);
    const [pushed] = t.service.pushed as [Pushed];
    expect(pushed).toMatchObject({ method: "POST", path: "/to/this-browser", bytes: 0 });
    expect(pushed.headers).toMatchObject({ ttl: "43200", urgency: "high", topic: "scorel", "content-length": "0" });
    const now = Date.now() / 1_000;
    const { exp, ...claims } = claimsIn(pushed, key) as { exp: number };
    expect(claims).toEqual({ aud: t.service.origin, sub: "mailto:me@example.org" });
    expect([exp > now, exp < now + 24 * 3_600]).toEqual([true, true]);
    expect((await t.client.request("get_push_key", {})).key).toBe(key);
    expect(statSync(join(t.home.home, ".scorel/host/push.json")).mode & 0o777).toBe(0o600);
  });

  it("gets none for a question that is answered at once", async () => {
    await using t = await stage();
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    await t.subscribe();
    const { answer, reply } = await t.ask();
    await reply();
    expect(await answer).toBe(true);
    await pass(DELAY_MS * 2);
    expect(t.service.pushed).toEqual([]);
  });

  it("gets none while one of its pages is in sight, unless that ends without a word", async () => {
    await using t = await stage();
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    const id = await t.subscribe();
    await t.subscribe(t.client, "/to/another");
    await t.client.request("tell_sight", { id, inSight: true });
    await t.ask();
    await pass(DELAY_MS);
    await expect.poll(() => t.service.pushed.map(({ path }) => path)).toEqual(["/to/another"]);
    await pass(SIGHT_MS);
    await expect.poll(() => t.service.pushed.map(({ path }) => path)).toEqual(["/to/another", "/to/this-browser"]);
  });

  it("gets none for what its page has shown before it was left", async () => {
    await using t = await stage();
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    const id = await t.subscribe();
    await t.client.request("tell_sight", { id, inSight: true });
    await t.ask();
    await pass(DELAY_MS);
    await t.client.request("tell_sight", { id, inSight: false });
    await pass(SIGHT_MS);
    expect(t.service.pushed).toEqual([]);
  });

  it.each([404, 410])("is forgotten when its push service answers %i", async (status) => {
    await using t = await stage();
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    await t.subscribe();
    t.service.answer.status = status;
    await t.ask();
    await pass(DELAY_MS);
    await expect.poll(() => t.stored().subscriptions).toEqual([]);
  });

  it.each([301, 429, 500])("stays when its push service answers %i, which is not followed", async (status) => {
    await using t = await stage();
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    await t.subscribe();
    t.service.answer.status = status;
    await t.ask();
    await pass(DELAY_MS);
    await expect.poll(() => t.service.pushed).toHaveLength(1);
    expect(t.stored().subscriptions).toHaveLength(1);
  });

  it("is forgotten when the token of its page has ended, and when it unsubscribes", async () => {
    await using t = await stage();
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    const id = await t.subscribe();
    expect(await t.client.request("unsubscribe_push", { id })).toEqual({ ended: true });
    expect(await t.client.request("unsubscribe_push", { id })).toEqual({ ended: false });
    await t.subscribe();
    t.letIn.clear();
    await t.ask();
    await pass(DELAY_MS);
    await expect.poll(() => t.stored().subscriptions).toEqual([]);
    expect(t.service.pushed).toEqual([]);
  });

  it("keeps questions open when its page is gone, as long as it is pushed to", async () => {
    await using t = await stage();
    const phone = t.host.connect({ clientId: "phone" });
    await phone.request("attend_requests", { sessionId: t.sessionId });
    const id = await t.subscribe(phone);
    expect(await phone.request("attend_by_push", { sessionId: t.sessionId, id: "unknown" })).toEqual({
      attended: false,
    });
    expect(await phone.request("attend_by_push", { sessionId: t.sessionId, id })).toEqual({ attended: true });
    const { answer } = await t.ask();
    await pass(DELAY_MS);
    await expect.poll(() => t.service.pushed).toHaveLength(1);
    await phone.close();
    expect((await t.client.request("list_requests", { sessionId: t.sessionId })).requests).toHaveLength(1);
    await t.client.request("unsubscribe_push", { id });
    expect(await answer).toBe(false);
  });
});

it("only those who may answer in all sessions are pushed to, and only at push services", async () => {
  await using t = await stage();
  const codeOf = (error: { code: string }) => error.code;
  const reader = t.host.connect({ scope: { operations: "read" } });
  const ofOne = t.host.connect({ scope: { operations: ["read", "answer_request"], sessions: [t.sessionId] } });
  expect(await Promise.all([reader, ofOne].map((each) => t.subscribe(each).catch(codeOf)))).toEqual([
    "HOST_FORBIDDEN",
    "HOST_FORBIDDEN",
  ]);
  const elsewhere = { endpoint: "https://169.254.169.254/latest", page: PAGE, origin: "http://127.0.0.1:7777" };
  expect(await t.client.request("subscribe_push", elsewhere).catch(codeOf)).toBe("WEB_PUSH_SERVICE");
});

it.each([
  ["https://fcm.googleapis.com/fcm/send/abc", true],
  ["https://web.push.apple.com/abc", true],
  ["https://updates.push.services.mozilla.com/wpush/v2/abc", true],
  ["https://wns2-am3p.notify.windows.com/w/?token=abc", true],
  ["https://push.example.org/abc", true],
  ["http://fcm.googleapis.com/fcm/send/abc", false],
  ["https://fcm.googleapis.com:8443/abc", false],
  ["https://user@fcm.googleapis.com/abc", false],
  ["https://fcm.googleapis.com.example.org/abc", false],
  ["https://evil-push.apple.com.example.org/", false],
  ["https://notify.windows.com.evil.example/", false],
  ["https://127.0.0.1/abc", false],
  ["https://push.example.org:8443/abc", false],
  ["file:///etc/passwd", false],
  ["nothing", false],
])("%s is the address of a push service: %j", (endpoint, isOne) => {
  expect(endpointIn(endpoint, ["https://push.example.org"]) !== undefined).toBe(isOne);
});

it("a long turn is announced when it ends, until the next one begins", async () => {
  const told: string[][] = [];
  const news = new News({ come: (sessions) => void told.push([...sessions]), gone: () => {} });
  vi.useFakeTimers();
  const change = (change: "running" | "idle", sessionId: string, more: object = {}) =>
    news.take({ change, session: { sessionId, ...more } } as SessionChange);
  for (const id of ["short", "long", "again"]) change("running", id);
  change("running", "part", { parent: { sessionId: "long" } });
  change("idle", "short");
  await pass(LONG_TURN_MS);
  change("running", "long");
  for (const id of ["long", "again"]) change("idle", id);
  change("idle", "part", { parent: { sessionId: "long" } });
  change("running", "again");
  await pass(DELAY_MS);
  expect(told).toEqual([["long"]]);
});

it("a short turn is not announced although the end of the one before was missed, but the end of a long one is", async () => {
  const told: string[][] = [];
  const news = new News({ come: (sessions) => void told.push([...sessions]), gone: () => {} });
  vi.useFakeTimers();
  const change = (change: "running" | "idle", sessionId: string) =>
    news.take({ change, session: { sessionId } } as SessionChange);
  for (const id of ["missed", "long"]) change("running", id);
  await pass(LONG_TURN_MS);
  news.take({ change: "missed" });
  change("running", "missed");
  for (const id of ["missed", "long"]) change("idle", id);
  await pass(DELAY_MS);
  expect(told).toEqual([["long"]]);
});

it("a question is announced only after it has been open for some time, also if another one was answered just before", async () => {
  const told: string[][] = [];
  const news = new News({ come: (sessions) => void told.push([...sessions]), gone: () => {} });
  const change = (change: "asking" | "answered", sessionId: string) =>
    news.take({ change, session: { sessionId } } as SessionChange);
  for (const id of ["first", "second"]) {
    change("asking", id);
    await pass(DELAY_MS - 1_000);
    change("answered", id);
  }
  for (const id of ["third", "fourth"]) {
    change("asking", id);
    await pass(1_000);
  }
  expect(told).toEqual([]);
  await pass(DELAY_MS - 2_000);
  expect(told).toEqual([["third", "fourth"]]);
});
