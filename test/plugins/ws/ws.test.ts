import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Delivered } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { clientScope } from "../../../plugins/kit/values/scopes.ts";
import { settingsOf } from "../../../plugins/web-server/settings.ts";
import { storedTokens } from "../../../plugins/web-server/tokens.ts";
import { ask } from "../host/home.ts";
import { certificate, privateKey } from "./certificate.ts";
import { openPage, raw, statusOf, testWeb } from "./home.ts";

describe("a client over WebSocket", () => {
  it("gets the answers, errors and events of the host as its own clients do", async () => {
    await using t = await testWeb();
    const client = await t.connect();
    const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
    const heard: unknown[] = [];
    await client.subscribe(sessionId, ({ event }: Delivered) => void ("id" in event && heard.push(event)), {
      tail: Number.POSITIVE_INFINITY,
    });
    expect(await ask(client, sessionId, "hello")).toBe("echo: hello");
    await client.drained(sessionId);
    const { events } = await t.client.request("get_events", { sessionId });
    expect(heard).toEqual(events.map(({ event }) => event));
    await expect(client.request("get_events", { sessionId: "nothing" })).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
    });
  });

  it("takes the token from the environment, and is refused for good without one", async () => {
    await using t = await testWeb();
    await expect(t.dial(t.address, {})).resolves.toBeDefined(); // The first message may have it.
    t.env.SCOREL_HOST_TOKEN = "scorel_wrong";
    await expect(t.dial(t.address, {})).rejects.toMatchObject({ code: "WS_REFUSED", fatal: true });
    t.env.SCOREL_HOST_TOKEN = t.token();
    const channel = await t.dial(t.address.replace("/ws", ""), {});
    channel.close();
  });
});

it("a client that offers compression is served without compression", async () => {
  await using t = await testWeb();
  const socket = new WebSocket(t.address, {
    perMessageDeflate: true,
    headers: { authorization: `Bearer ${t.token()}` },
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  expect(socket.extensions).toBe("");
  socket.terminate();
});

describe("revocation", () => {
  it("ends the connections of a replaced token during a stream, and refuses it from then on", async () => {
    await using t = await testWeb();
    // The new token is another client, for which the session is gone, since nothing was stored in it.
    const client = await t.connect({ listenerFailed: () => {} });
    const other = await openPage(t);
    const phone = await t.write("phone", ["view"]);
    other.socket.send(
      JSON.stringify({ type: "hello", protocol: 1, version: "1", token: readFileSync(phone, "utf8").trim() }),
    );
    expect(await other.next()).toMatchObject({ type: "welcome" });
    const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
    await client.subscribe(sessionId, () => {});
    const old = t.token();
    const gone = new Promise<void>((resolve) => {
      client.onState(({ state }) => state === "waiting" && resolve());
    });
    await t.write("owner", ["admin"]);
    const headers = ["POST /touch HTTP/1.1", `Host: 127.0.0.1:${t.port}`, "Content-Length: 0", "Connection: close"];
    expect(statusOf(await raw(t.port, [...headers, `Authorization: Bearer ${old}`]))).toBe(401);
    await gone;
    // The file contains the new token, so the client reconnects. The connection of another token was not closed.
    expect(await client.request("ping", {})).toEqual({ pong: true });
    other.socket.send(JSON.stringify({ type: "ping", answered: 0 }));
    expect(await other.next()).toEqual({ type: "pong" });
    other.socket.terminate();
  });
});

describe("scopes", () => {
  it("are decided by the host from the token, whatever the client says", async () => {
    await using t = await testWeb();
    await t.write("viewer", ["view"]);
    await t.write("writer", ["view", "prompt"]);
    const [viewer, writer] = [await t.connect({ name: "viewer" }), await t.connect({ name: "writer" })];
    const forbidden = { code: "HOST_FORBIDDEN" };
    const create = { cwd: t.home.cwd };
    await expect(viewer.request("create_session", create)).rejects.toMatchObject(forbidden);
    await expect(writer.request("create_session", { ...create, preset: "none" })).rejects.toMatchObject(forbidden);
    const { sessionId } = await writer.request("create_session", create);
    expect(await ask(writer, sessionId, "hello")).toBe("echo: hello");
    const heard: string[] = [];
    await viewer.subscribe(sessionId, ({ event }) => void heard.push(event.type), { tail: 10 });
    await viewer.drained(sessionId);
    expect(heard).toContain("message");
    await expect(viewer.request("send_message", { sessionId, content: "x" })).rejects.toMatchObject(forbidden);
    await expect(writer.request("reload_session", { sessionId })).rejects.toMatchObject(forbidden);
    const page = await openPage(t);
    const hello = { type: "hello", protocol: 1, version: "1", scope: { operations: "all" }, token: t.token("viewer") };
    page.socket.send(JSON.stringify(hello));
    expect(await page.next()).toMatchObject({ type: "closing", error: { code: "GATEWAY_MESSAGE" } });
    expect(clientScope(["view", "admin"])).toBeUndefined();
  });

  it("are not kept by a client that comes back with another token", async () => {
    await using t = await testWeb();
    await t.write("viewer", ["view"]);
    const [first, second] = [await openPage(t), await openPage(t)];
    const hello = { type: "hello", protocol: 1, version: "1" };
    first.socket.send(JSON.stringify({ ...hello, token: t.token() }));
    const { clientId, secret } = (await first.next()) as { clientId: string; secret: string };
    first.socket.terminate();
    second.socket.send(JSON.stringify({ ...hello, token: t.token("viewer"), resume: { clientId, secret } }));
    const welcome = await second.next();
    expect(welcome).toMatchObject({ type: "welcome", resumed: false });
    expect(welcome).not.toMatchObject({ clientId });
    second.socket.terminate();
  });
});

describe("resource abuse", () => {
  it("keeps nobody with a token out: 200 clients of one computer, among silent connections", async () => {
    await using t = await testWeb();
    const silent = Array.from({ length: 100 }, () => connect(t.port, "127.0.0.1").on("error", () => {}));
    const clients = [];
    for (let n = 0; n < 4; n++) clients.push(...(await Promise.all(Array.from({ length: 50 }, () => t.connect()))));
    const more = Array.from({ length: 300 }, () => connect(t.port, "127.0.0.1").on("error", () => {}));
    const answers = await Promise.all(clients.map((client) => client.request("list_sessions", {})));
    expect(answers).toEqual(Array(200).fill({ sessions: [] }));
    const late = await t.connect();
    expect(await late.request("list_sessions", {})).toEqual({ sessions: [] });
    for (const socket of [...silent, ...more]) socket.destroy();
  });

  it("is limited: wrong tokens are no longer answered after ten, and the right one still is", async () => {
    await using t = await testWeb();
    const lines = (token: string) => [
      "POST /touch HTTP/1.1",
      `Host: 127.0.0.1:${t.port}`,
      `Authorization: Bearer ${token}`,
      "Content-Length: 0",
      "Connection: close",
    ];
    const statuses: number[] = [];
    for (let n = 0; n < 15; n++) statuses.push(statusOf(await raw(t.port, lines(`scorel_${n}`))));
    expect([statuses.slice(0, 10), statuses.at(-1)]).toEqual([Array(10).fill(401), 429]);
    expect(statusOf(await raw(t.port, lines(t.token())))).toBe(200);
  });

  it("is limited: long, deep, binary and broken messages end the connection alone", async () => {
    await using t = await testWeb();
    const hello = JSON.stringify({ type: "hello", protocol: 1, version: "1", token: t.token() });
    const deep = `{"type":"request","requestId":1,"operation":"ping","params":{"a":${"[".repeat(100)}${"]".repeat(100)}}}`;
    const bad = ["x".repeat(1024 * 1024 + 1), deep, Buffer.from([1, 2, 3]), "{", "null", '{"type":"nothing"}'];
    for (const message of bad) {
      const page = await openPage(t);
      page.socket.send(hello);
      await page.next();
      const closed = new Promise((resolve) => page.socket.once("close", resolve));
      page.socket.send(message);
      await closed;
    }
    expect(await (await t.connect()).request("ping", {})).toEqual({ pong: true });
  });
});

describe("scorel host serve --port", () => {
  it("listens at 127.0.0.1 alone, and elsewhere only with TLS or --insecure", async () => {
    expect(settingsOf({})).toBeUndefined();
    expect(settingsOf({ port: "7777" })).toEqual({ port: 7777, bind: "127.0.0.1", tls: undefined });
    expect(settingsOf({ port: "1", bind: "[::1]" })).toMatchObject({ bind: "::1" });
    expect(settingsOf({ port: "1", bind: "0.0.0.0", insecure: true })).toMatchObject({ bind: "0.0.0.0" });
    const refused = (options: object) => {
      try {
        return settingsOf({ port: "7777", ...options });
      } catch (thrown) {
        return (thrown as { code: string }).code;
      }
    };
    expect([{ bind: "0.0.0.0" }, { bind: "::" }, { bind: "192.168.1.2" }].map(refused)).toEqual(
      Array(3).fill("WEB_EXPOSED"),
    );
    expect([{ port: "x" }, { port: "70000" }, { port: "-1" }, { port: true }].map(refused)).toEqual(
      Array(4).fill("WEB_PORT"),
    );
    expect([{ bind: "example.org" }, { bind: "127.0.0.1.evil.example" }].map(refused)).toEqual(
      Array(2).fill("WEB_BIND"),
    );
    const tls = [
      { tlsCert: "/c.pem" },
      { tlsCert: "c.pem", tlsKey: "k.pem" },
      { tlsCert: "/none/c", tlsKey: "/none/k" },
    ];
    expect(tls.map(refused)).toEqual(Array(3).fill("WEB_TLS"));
  });

  it("encrypts with the given certificate, and answers nothing without encryption", async () => {
    const folder = mkdtempSync(join(tmpdir(), "scorel-tls-"));
    const [tlsCert, tlsKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    writeFileSync(tlsCert, certificate);
    writeFileSync(tlsKey, privateKey, { mode: 0o600 });
    try {
      await using t = await testWeb({ tlsCert, tlsKey });
      expect(t.addresses.map(([address]) => address)).toEqual([
        `https://127.0.0.1:${t.port}`,
        `wss://127.0.0.1:${t.port}/ws`,
      ]);
      const headers = { Authorization: `Bearer ${t.token()}` };
      const socket = new WebSocket(t.address, { ca: certificate, headers });
      await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
      socket.terminate();
      expect(await raw(t.port, ["GET /healthz HTTP/1.1", `Host: 127.0.0.1:${t.port}`])).toBe("");
      // A certificate that no authority has signed is refused.
      await expect(t.connect()).rejects.toMatchObject({ code: "WS_DIAL" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("says so when the port is in use, and leaves nothing behind", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
    await expect(testWeb({ port: String(port) })).rejects.toMatchObject({ code: "WEB_LISTEN" });
    server.close();
  });
});

describe("scorel host token", () => {
  it("makes, lists, replaces and removes tokens without printing them", async () => {
    await using t = await testWeb();
    const { tokenCommand } = await import("../../../plugins/web-server/token-command.ts");
    const printed: string[] = [];
    const run = (args: string[], options = {}) =>
      tokenCommand({ args, options, stdout: { write: (text: string) => printed.push(text) } } as never);
    await run(["rotate", "phone"]);
    await run(["rotate", "phone"], { scope: "view" });
    await run(["show-path"]);
    await run(["list"]);
    expect(printed.slice(0, 4)).toEqual([
      `The token "phone" (view, prompt, approve) is in ${t.tokenPath("phone")}\n`,
      `The token "phone" (view) is in ${t.tokenPath("phone")}\n`,
      "The one before it no longer works, and connections that used it are closed.\n",
      `${t.tokenPath("owner")}\n`,
    ]);
    expect(storedTokens().map(({ name, scopes }) => [name, scopes])).toEqual([
      ["owner", ["admin"]],
      ["phone", ["view"]],
    ]);
    for (const name of ["owner", "phone"]) expect(printed.join("")).not.toContain(t.token(name));
    await run(["remove", "phone"]);
    expect(existsSync(t.tokenPath("phone"))).toBe(false);
    const wrong = [["show-path", "phone"], ["remove", "x"], ["rotate", "../x"], ["burn"]];
    const codes = await Promise.all(wrong.map((args) => run(args).catch(codeOf)));
    expect(codes).toEqual(["WEB_TOKEN_UNKNOWN", "WEB_TOKEN_UNKNOWN", "WEB_TOKEN_NAME", "WEB_TOKEN_ACTION"]);
  });
});
