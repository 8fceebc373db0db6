import { spawn, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { usedBytes } from "../../memory.ts";
import { itWith } from "../../optional.ts";
import { openPage, raw, statusOf, testWeb, upgrade } from "./home.ts";

type Web = Awaited<ReturnType<typeof testWeb>>;

const bearer = (t: Web) => `Authorization: Bearer ${t.token()}`;

/** Sends requests with a valid token and these headers, for a page and for a WebSocket; returns both statuses. */
async function both(t: Web, headers: readonly string[]): Promise<number[]> {
  const post = ["POST /touch HTTP/1.1", ...headers, bearer(t), "Content-Length: 0", "Connection: close"];
  const socket = ["GET /ws HTTP/1.1", ...headers, bearer(t), ...upgrade];
  return (await Promise.all([post, socket].map((lines) => raw(t.port, lines)))).map(statusOf);
}

describe("a program of another user at the host's port", () => {
  const program = `
    const got = [];
    const server = require("node:net").createServer((socket) => socket.on("data", (part) => process.stdout.write(part)).on("error", () => {}));
    server.listen(0, "127.0.0.1", () => process.stdout.write(server.address().port + "\\n"));`;
  itWith(["linux", "root"], "does not get the token", async () => {
    await using t = await testWeb();
    const child = spawn(process.execPath, ["-e", program], { uid: 65_534, gid: 65_534, cwd: "/", env: {} });
    try {
      let printed = "";
      child.stdout.on("data", (part) => {
        printed += part;
      });
      await expect.poll(() => printed).toMatch(/^\d+\n$/);
      const [line] = printed.split("\n");
      for (const name of ["127.0.0.1", "localhost"])
        await expect(t.dial(`ws://${name}:${line}/ws`, { tokenFile: t.tokenPath("owner") })).rejects.toMatchObject({
          code: "WS_OTHER_USER",
          fatal: true,
        });
      expect(printed).toBe(`${line}\n`);
      // A socket that accepts nothing yet is listed with root as its owner.
      child.kill("SIGSTOP");
      const dialed = t.dial(`ws://127.0.0.1:${line}/ws`, { tokenFile: t.tokenPath("owner") });
      const refused = expect(dialed).rejects.toMatchObject({ code: "WS_OTHER_USER" });
      await new Promise((resolve) => setImmediate(resolve));
      child.kill("SIGCONT");
      await refused;
      expect(printed).toBe(`${line}\n`);
      const sent = t.dial(`ws://127.0.0.1:${line}/ws`, { tokenFile: t.tokenPath("owner"), insecure: true });
      sent.catch(() => {});
      await expect.poll(() => printed).toContain("Authorization: Bearer scorel_");
    } finally {
      child.kill("SIGKILL");
    }
  });
});

describe("DNS rebinding", () => {
  it("is refused: only the exact names of this computer with the port are accepted, before anything else", async () => {
    await using t = await testWeb();
    const { port } = t;
    const wrong = [
      ["Host: evil.example"],
      [`Host: evil.example:${port}`],
      [`Host: 127.0.0.1.evil.example:${port}`],
      [`Host: localhost.:${port}`],
      [`Host: 127.0.0.1:${port + 1}`],
      ["Host: 127.0.0.1"],
      [`Host: 127.1:${port}`],
      [`Host: user@127.0.0.1:${port}`],
      ["Host:"],
      [],
      [`Host: 127.0.0.1:${port}`, `Host: 127.0.0.1:${port}`],
      ["Host: evil.example", `Host: 127.0.0.1:${port}`],
    ];
    for (const headers of wrong) expect({ headers, got: await both(t, headers) }).toEqual({ headers, got: [421, 421] });
    expect(t.touched).toEqual([]);
    for (const name of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
      expect({ name, got: await both(t, [`Host: ${name}:${port}`]) }).toEqual({ name, got: [200, 101] });
    expect(t.touched).toEqual(["owner", "owner", "owner", "owner"]);
  });

  it("is refused for a name that a resolver points to this computer, also at /healthz", async () => {
    await using t = await testWeb();
    const status = await new Promise((resolve, reject) => {
      const lookup = (_name: string, _options: object, done: (error: null, all: object[]) => void) =>
        done(null, [{ address: "127.0.0.1", family: 4 }]);
      const asking = request(`http://rebound.example:${t.port}/healthz`, { lookup: lookup as never }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asking.on("error", reject).end();
    });
    expect(status).toBe(421);
  });

  it("does not keep configured names out", async () => {
    await using t = await testWeb({}, { names: ["box.example"] });
    expect(await both(t, [`Host: box.example:${t.port}`])).toEqual([200, 101]);
    expect(await both(t, [`Host: a.box.example:${t.port}`])).toEqual([421, 421]);
  });
});

describe("cross-site WebSocket hijacking", () => {
  it("is refused: the origin is absent or exactly the server's own", async () => {
    await using t = await testWeb({}, { origins: ["https://page.example"] });
    const host = `Host: 127.0.0.1:${t.port}`;
    const wrong = [
      "null",
      "file://",
      "http://evil.example",
      "https://evil.example",
      `http://evil.example:${t.port}`,
      `http://127.0.0.1:${t.port + 1}`,
      "http://127.0.0.1",
      `https://127.0.0.1:${t.port}`,
      `http://127.0.0.1:${t.port}.evil.example`,
      `http://127.0.0.1:${t.port}/`,
      "chrome-extension://abcdefghijklmnop",
      "http://page.example",
    ];
    for (const origin of wrong)
      expect({ origin, got: await both(t, [host, `Origin: ${origin}`]) }).toEqual({ origin, got: [403, 403] });
    expect(await both(t, [host, `Origin: http://127.0.0.1:${t.port}`, "Origin: http://evil.example"])).toEqual([
      403, 403,
    ]);
    expect(await both(t, [host, "Sec-Fetch-Site: cross-site"])).toEqual([403, 403]);
    expect(t.touched).toEqual([]);
    for (const origin of [`http://127.0.0.1:${t.port}`, "https://page.example"])
      expect({ origin, got: await both(t, [host, `Origin: ${origin}`]) }).toEqual({ origin, got: [200, 101] });
  });

  it("lets a page of a named origin in, also where the browser says that it is of another site", async () => {
    await using t = await testWeb({}, { origins: ["https://page.example"] });
    const host = `Host: 127.0.0.1:${t.port}`;
    for (const site of ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"]) {
      expect(await both(t, [host, "Origin: https://page.example", site])).toEqual([200, 101]);
      expect(await both(t, [host, `Origin: http://127.0.0.1:${t.port}`, site])).toEqual([403, 403]);
      expect(await both(t, [host, "Origin: https://evil.example", site])).toEqual([403, 403]);
    }
  });

  it("needs the token in the first message if there was none in the header", async () => {
    await using t = await testWeb();
    await using page = await openPage(t);
    page.socket.send(JSON.stringify({ type: "hello", protocol: 1, version: "1.0.0", token: "scorel_guess" }));
    expect(await page.next()).toMatchObject({ type: "closing", retry: false, error: { code: "WEB_TOKEN" } });
    await using other = await openPage(t);
    other.socket.send(JSON.stringify({ type: "hello", protocol: 1, version: "1.0.0", token: t.token() }));
    expect(await other.next()).toMatchObject({ type: "welcome" });
  });
});

describe("cross-site request forgery", () => {
  it("changes nothing: there are no cookies, no GET that changes something, and no answer that another site may read", async () => {
    await using t = await testWeb();
    const host = `Host: 127.0.0.1:${t.port}`;
    const cookie = `Cookie: token=${t.token()}; Authorization=Bearer ${t.token()}`;
    const form = ["POST /touch HTTP/1.1", host, cookie, "Content-Type: text/plain", "Content-Length: 0"];
    expect(statusOf(await raw(t.port, form))).toBe(401);
    const answer = await raw(t.port, ["GET /touch HTTP/1.1", host, bearer(t)]);
    expect(statusOf(answer)).toBe(405);
    expect(answer).toContain("Cross-Origin-Resource-Policy: same-origin");
    expect(answer.toLowerCase()).not.toMatch(/access-control-|set-cookie/);
    expect(statusOf(await raw(t.port, ["OPTIONS /touch HTTP/1.1", host, "Connection: close"]))).toBe(401);
    expect(t.touched).toEqual([]);
  });
});

describe("local token disclosure", () => {
  it("is impossible: only GET /healthz answers without a token, and says nothing", async () => {
    await using t = await testWeb();
    const host = `Host: 127.0.0.1:${t.port}`;
    const ask = (method: string, path: string) =>
      raw(t.port, [`${method} ${path} HTTP/1.1`, host, "Content-Length: 0", "Connection: close"]);
    const health = await ask("GET", "/healthz");
    expect([statusOf(health), health.split("\r\n\r\n")[1]]).toEqual([200, "3\r\nok\n\r\n0"]);
    const paths = [
      "/",
      "/ws",
      "/touch",
      "/token",
      "/api/local-daemon",
      "/healthz/",
      "//healthz",
      "/.well-known/x",
      "/../",
    ];
    for (const path of paths)
      for (const method of ["GET", "POST"]) {
        const answer = await ask(method, path);
        expect({ path, method, status: statusOf(answer) }).toEqual({ path, method, status: 401 });
        expect(answer).not.toContain(t.token());
      }
    expect(statusOf(await ask("POST", "/healthz"))).toBe(405);
  });

  it("does not happen through the output: only the path of the token's file is printed", async () => {
    await using t = await testWeb();
    expect(t.printed).toEqual([]);
    expect(t.addresses).toEqual([
      [`http://127.0.0.1:${t.port}`, `token in ${t.tokenPath("owner")}`],
      [`ws://127.0.0.1:${t.port}/ws`, undefined],
    ]);
  });
});

describe("other local users", () => {
  it("cannot read the tokens, of which only digests are stored beside the file for the user", async () => {
    await using t = await testWeb();
    expect(t.mode(t.folder)).toBe(0o700);
    expect(readdirSync(t.folder).map((name) => [name, t.mode(join(t.folder, name))])).toEqual([
      ["owner.token", 0o600],
      ["tokens.json", 0o600],
    ]);
    expect(t.token()).toMatch(/^scorel_[\w-]{43}$/);
    expect(readFileSync(join(t.folder, "tokens.json"), "utf8")).not.toContain(t.token().slice(7));
  });

  itWith("root", "cannot read or use them, tried as another user", async () => {
    await using t = await testWeb();
    const read = (path: string) =>
      spawnSync(process.execPath, ["-e", "require('fs').readFileSync(process.argv[1])", path], {
        uid: 65_534,
        gid: 65_534,
      });
    const results = ["owner.token", "tokens.json"].map((name) => read(join(t.folder, name)));
    expect(results.map(({ status }) => status)).toEqual([1, 1]);
    expect(results.map(({ stderr }) => stderr.includes("EACCES"))).toEqual([true, true]);
  });

  it("cannot make the host follow a link, or use tokens that they wrote", async () => {
    await using t = await testWeb();
    const path = join(t.folder, "tokens.json");
    const stored = readFileSync(path, "utf8");
    const elsewhere = join(t.home.home, "planted.json");
    writeFileSync(elsewhere, stored, { mode: 0o600 });
    rmSync(path);
    symlinkSync(elsewhere, path);
    await expect(t.connect()).rejects.toMatchObject({ code: "WS_REFUSED", data: { status: 401 } });
    rmSync(path);
    writeFileSync(path, stored);
    chmodSync(path, 0o666);
    await expect(t.connect()).rejects.toMatchObject({ code: "WS_REFUSED", data: { status: 401 } });
  });

  it("cannot read the file that a client takes its token from", async () => {
    await using t = await testWeb();
    chmodSync(t.tokenPath("owner"), 0o644);
    await expect(t.connect()).rejects.toMatchObject({ code: "WS_TOKEN_FILE" });
  });
});

describe("tokens in URLs", () => {
  it("are not accepted by the host, and refused by the client", async () => {
    await using t = await testWeb();
    const host = `Host: 127.0.0.1:${t.port}`;
    const post = [`POST /touch?token=${t.token()} HTTP/1.1`, host, "Content-Length: 0", "Connection: close"];
    expect(statusOf(await raw(t.port, post))).toBe(401);
    const { address } = t;
    for (const url of [`${address}?token=abc`, `${address}#abc`, address.replace("//", "//user:abc@")]) {
      const thrown = await t.dial(url, {}).catch((error) => error);
      expect(thrown).toMatchObject({ code: "WS_ADDRESS" });
      expect(thrown.message).not.toContain("abc");
    }
  });

  it("are not sent in plain text to another computer", async () => {
    await using t = await testWeb();
    t.env.SCOREL_HOST_TOKEN = t.token();
    await expect(t.dial("ws://192.0.2.1:7777", {})).rejects.toMatchObject({ code: "WS_PLAIN" });
    await expect(t.dial("ws://127.0.0.1.evil.example:7777", {})).rejects.toMatchObject({ code: "WS_PLAIN" });
  });
});

describe("timing", () => {
  it("tells nothing of a token: digests are compared, by timingSafeEqual, with all stored ones", async () => {
    const sources = ["web-server/token-check.ts", "web-server/server.ts", "ws/accept.ts", "gateway/guest.ts"].map(
      (file) => readFileSync(join(import.meta.dirname, "../../../plugins", file), "utf8"),
    );
    expect(sources[0]).toContain("timingSafeEqual(digest, Buffer.from(stored.sha256");
    for (const source of sources)
      expect(source.match(/(token|secret|digest|sha256)\w*\s[!=]==?\s(?!undefined)/gi) ?? []).toEqual([]);
  });
});

describe("paths that a plugin would read as others", () => {
  it("lead nowhere, so that no method and no check of another path applies to them", async () => {
    await using t = await testWeb();
    const body = "{}";
    const lines = (method: string, path: string) => [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${t.port}`,
      bearer(t),
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "Connection: close",
      "",
      body,
    ];
    const paths = [
      "/sessions/../operations/ping",
      "/sessions/./x",
      "/sessions/%2e%2e/operations/ping",
      "/sessions\\..\\operations\\ping",
    ];
    for (const path of [
      ...paths,
      "//operations/ping",
      "//evil.example/operations/ping",
      "/operations/../operations/ping",
    ])
      for (const method of ["GET", "POST"])
        expect({ method, path, status: statusOf(await raw(t.port, lines(method, path))) }).toEqual({
          method,
          path,
          status: 404,
        });
    expect(statusOf(await raw(t.port, lines("POST", "/operations/ping")))).toBe(200);
  });
});

describe("pings without end", () => {
  it("of somebody who reads nothing cost little memory", async () => {
    await using t = await testWeb();
    const head = ["GET /ws HTTP/1.1", `Host: 127.0.0.1:${t.port}`, bearer(t), ...upgrade, "", ""].join("\r\n");
    const hello = JSON.stringify({ type: "hello", protocol: 1, version: "1", token: t.token() });
    const masked = (opcode: number, text: string) =>
      Buffer.concat([
        Buffer.from([0x80 | opcode, 0x80 | 126, text.length >> 8, text.length & 255, 0, 0, 0, 0]),
        Buffer.from(text),
      ]);
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
    const many = Buffer.concat(Array.from({ length: 1_000 }, () => ping));
    const before = await usedBytes();
    const socket = connect(t.port, "127.0.0.1").on("error", () => {});
    socket.pause();
    socket.write(head);
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0);
    socket.write(masked(1, hello));
    for (let n = 0; n < 500 && !socket.writableNeedDrain; n++) socket.write(many);
    await (await t.connect()).request("ping", {});
    expect(((await usedBytes()) - before) / 1e6).toBeLessThan(100);
    socket.destroy();
  });
});
