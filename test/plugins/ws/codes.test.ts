import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { tokenId } from "@scorel/host/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Invocation } from "../../../plugins/cli/contract.ts";
import { removeLinkFiles } from "../../../plugins/web-server/link-file.ts";
import { tokenCommand } from "../../../plugins/web-server/token-command.ts";
import { eventually } from "../../eventually.ts";
import { testHome } from "../host/home.ts";
import { openPage, raw, statusOf, testWeb } from "./home.ts";

type Web = Awaited<ReturnType<typeof testWeb>>;

/** Sends a code as a page does, optionally with other headers or another body. */
function exchange(t: Web, code: unknown, headers: readonly string[] = [], { type = "application/json" } = {}) {
  const body = typeof code === "string" && code.startsWith("{") ? code : JSON.stringify({ code });
  return raw(t.port, [
    "POST /access HTTP/1.1",
    `Host: 127.0.0.1:${t.port}`,
    ...headers,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ]);
}

async function pass(t: Web, scopes?: ("view" | "prompt" | "approve" | "admin")[]) {
  const { code } = await t.client.request("create_access_code", scopes ? { scopes } : {});
  const answer = await exchange(t, code);
  expect(statusOf(answer)).toBe(200);
  const body = /\{.*\}/.exec(answer)?.[0] ?? "";
  return { code, answer, ...(JSON.parse(body) as { token: string; scopes: string[] }) };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const touch = (t: Web, token: string) =>
  raw(t.port, [
    "POST /touch HTTP/1.1",
    `Host: 127.0.0.1:${t.port}`,
    `Authorization: Bearer ${token}`,
    "Content-Length: 0",
    "Connection: close",
  ]).then(statusOf);

afterEach(() => vi.useRealTimers());

describe("a one-time code", () => {
  it("tells the page the directory in which the person made it", async () => {
    await using t = await testWeb();
    const { code } = await t.client.request("create_access_code", { scopes: ["prompt"], directory: "/shop" });
    const answer = /\{.*\}/.exec(await exchange(t, code))?.[0] ?? "";
    expect(JSON.parse(answer)).toEqual({ token: expect.any(String), scopes: ["prompt"], directory: "/shop" });
  });

  it("is exchanged once for a token with the scopes that it was made for, and neither is stored", async () => {
    await using t = await testWeb();
    const { code, token, scopes, answer } = await pass(t);
    expect(scopes).toEqual(["view", "prompt", "approve"]);
    expect(answer).toContain("Cache-Control: no-store");
    expect(await touch(t, token)).toBe(200);
    expect(await touch(t, code)).toBe(401);
    expect(statusOf(await exchange(t, code))).toBe(401);
    const page = await openPage(t);
    expect(await page.enter(token)).toMatchObject({ type: "welcome" });
    const request = (requestId: number, operation: string, params: object) =>
      page.socket.send(JSON.stringify({ type: "request", requestId, operation, params }));
    request(1, "create_access_code", { scopes: ["admin"] });
    expect(await page.next()).toMatchObject({ requestId: 1, error: { code: "HOST_FORBIDDEN" } });
    page.socket.terminate();
    for (const name of readdirSync(t.folder)) {
      const kept = readFileSync(join(t.folder, name), "utf8");
      for (const secret of [code, token]) expect(kept).not.toContain(secret);
    }
  });

  it("can be used for a minute", async () => {
    await using t = await testWeb();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { code, seconds, address } = await t.client.request("create_access_code", {});
    expect([seconds, address]).toEqual([60, `http://127.0.0.1:${t.port}`]);
    vi.advanceTimersByTime(60_001);
    vi.useRealTimers();
    expect(statusOf(await exchange(t, code))).toBe(401);
  });

  it("is in a file that only the user can read, as long as it can be used", async () => {
    await using t = await testWeb();
    const files = () => readdirSync(t.folder).filter((name) => name.endsWith(".html"));
    const ask = () => t.client.request("create_access_code", { asFile: true });
    const [used, other] = [await ask(), await ask()];
    const path = used.file ?? "";
    expect(readFileSync(path, "utf8")).toContain(`content="0;url=${used.address}/#code=${used.code}"`);
    expect([t.mode(path), files().length]).toEqual([0o600, 2]);
    expect(statusOf(await exchange(t, used.code))).toBe(200);
    expect(files()).toEqual([basename(other.file ?? "")]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await ask();
    vi.advanceTimersByTime(60_001);
    vi.useRealTimers();
    expect(files()).toEqual([basename(other.file ?? "")]);
    await t.write("owner", ["admin"]);
    await eventually(() => expect(files()).toEqual([]));
  });

  it("leaves no file behind when its host was killed: the next one removes it", async () => {
    using home = testHome();
    const folder = join(home.home, ".scorel", "host");
    const run = join(home.home, ".scorel", "run");
    for (const each of [folder, run]) mkdirSync(each, { recursive: true, mode: 0o700 });
    const left = [join(run, "page.html"), join(folder, `link-${"a".repeat(22)}.html`)];
    const kept = join(folder, "link-mine.html");
    for (const path of [...left, kept]) writeFileSync(path, "", { mode: 0o600 });
    removeLinkFiles();
    expect([...left, kept].map((path) => existsSync(path))).toEqual([false, false, true]);
  });

  it("is used by one of two pages that send it at the same time", async () => {
    await using t = await testWeb();
    const { code } = await t.client.request("create_access_code", {});
    const statuses = (await Promise.all([1, 2, 3].map(() => exchange(t, code)))).map(statusOf);
    expect(statuses.sort()).toEqual([200, 401, 401]);
  });

  it("cannot be guessed: wrong codes count as wrong tokens", async () => {
    await using t = await testWeb();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push(statusOf(await exchange(t, `scorel_${n}`)));
    expect([statuses.slice(0, 10), statuses.at(-1)]).toEqual([Array(10).fill(401), 429]);
    await pass(t);
  });

  it("is taken only from the server's own pages, as JSON of the right form", async () => {
    await using t = await testWeb();
    const { code } = await t.client.request("create_access_code", {});
    expect(statusOf(await exchange(t, code, ["Origin: http://evil.example"]))).toBe(403);
    expect(statusOf(await exchange(t, code, ["Sec-Fetch-Site: cross-site"]))).toBe(403);
    expect(statusOf(await exchange(t, code, [], { type: "text/plain" }))).toBe(415);
    expect(statusOf(await exchange(t, "x".repeat(2_000)))).toBe(413);
    for (const body of ["{", "{}", '{"code":5}', `{"code":"a","more":1}`])
      expect(statusOf(await exchange(t, body))).toBe(400);
    const get = ["GET /access HTTP/1.1", `Host: 127.0.0.1:${t.port}`, "Connection: close"];
    expect(statusOf(await raw(t.port, get))).toBe(405);
    expect(statusOf(await exchange(t, code, [`Origin: http://127.0.0.1:${t.port}`]))).toBe(200);
  });
});

describe("the token of a page", () => {
  const list = async (...args: string[]) => {
    const lines: string[] = [];
    const stdout = { write: (text: string) => lines.push(...text.trimEnd().split("\n")) };
    await tokenCommand({ args, options: {}, stdout } as unknown as Invocation);
    return lines.filter((line) => !line.startsWith("owner ")).map((line) => line.replace(/20\d\d-\S+Z/, "<time>"));
  };

  it("is stored as a digest that only the user can read, is listed, and ends when it is removed", async () => {
    await using t = await testWeb();
    const { token } = await pass(t, ["view"]);
    expect(t.mode(join(t.folder, "tokens.json"))).toBe(0o600);
    expect(await list()).toEqual(["page  view  until <time>"]);
    expect(await list("remove", "page")).toEqual([
      "The page in the browser can no longer connect. `scorel up` makes a new link.",
    ]);
    expect(await list()).toEqual([]);
    expect(await touch(t, token)).toBe(401);
    expect(await touch(t, t.token())).toBe(200);
    await expect(t.write("page", ["view"])).rejects.toMatchObject({ code: "WEB_TOKEN_PAGE" });
    await expect(list("remove", "page")).rejects.toMatchObject({ code: "WEB_TOKEN_UNKNOWN" });
  });

  it("ends when its page signs out, and others stay", async () => {
    await using t = await testWeb();
    const [first, second] = [await pass(t), await pass(t)];
    const end = async (token: string) => t.client.request("end_page", { page: await tokenId(token) });
    expect(await end(first.token)).toEqual({ ended: true });
    expect([await touch(t, first.token), await touch(t, second.token)]).toEqual([401, 200]);
    expect([await end(first.token), await end(t.token())]).toEqual([{ ended: false }, { ended: false }]);
    expect(await touch(t, t.token())).toBe(200);
  });

  it("stays when the host gets one more token", async () => {
    await using t = await testWeb();
    const { token } = await pass(t);
    await t.write("phone", ["view"]);
    expect(await touch(t, token)).toBe(200);
  });

  it("ends after twelve hours, with its connections, and does not come back with the clock", async () => {
    await using t = await testWeb();
    vi.useFakeTimers({ toFake: ["Date"] });
    const { token } = await pass(t);
    const page = await openPage(t);
    expect(await page.enter(token)).toMatchObject({ type: "welcome" });
    const closed = new Promise((resolve) => page.socket.once("close", resolve));
    const began = Date.now();
    vi.setSystemTime(began + 12 * 60 * 60_000 + 1);
    await closed;
    expect(await touch(t, token)).toBe(401);
    const { pages } = JSON.parse(readFileSync(join(t.folder, "tokens.json"), "utf8")) as { pages: object[] };
    expect(pages).toEqual([{ sha256: sha256(token), scopes: [], until: new Date(0).toISOString() }]);
    vi.setSystemTime(began);
    expect(await touch(t, token)).toBe(401);
  });

  it("ends with a change of the host's tokens, and its connections with it", async () => {
    await using t = await testWeb();
    const { token } = await pass(t, ["view"]);
    const page = await openPage(t);
    expect(await page.enter(token)).toMatchObject({ type: "welcome" });
    const closed = new Promise((resolve) => page.socket.once("close", resolve));
    t.write("owner", ["admin"]);
    await closed;
    await eventually(async () => expect(await touch(t, token)).toBe(401));
  });
});
