import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import model from "@scorel/model";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changeCredential, lockAuth, readStored, storeCredential } from "../../plugins/model/keys/auth-file.ts";
import { renewed } from "../../plugins/model/keys/refresh.ts";
import { createSecrets } from "../../plugins/model/keys/secrets.ts";
import { type Heard, overWire } from "../../plugins/model/keys/sign-in-wire.ts";
import { testKernel } from "../harness.ts";
import { gate } from "../model-server.ts";
import { secondProcess } from "../second-process.ts";
import { startSites } from "../subscription-server.ts";

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "scorel-auth-"));
  vi.stubEnv("HOME", home);
  path = join(home, ".scorel", "auth.json");
  mkdirSync(join(home, ".scorel"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** The content of a lock file whose holder has ended. */
async function leftLock(): Promise<string> {
  await lockAuth(`${path}.lock`, 0);
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  return readFileSync(`${path}.lock`, "utf8").replace(`"pid":${process.pid}`, `"pid":${pid}`);
}

const names = () => readdirSync(join(home, ".scorel"));

describe("the lock of a killed login", () => {
  it("is taken over at once", async () => {
    writeFileSync(`${path}.lock`, await leftLock());
    await storeCredential("groq", "gsk-0123456789");
    expect([readStored(), names()]).toEqual([{ groq: "gsk-0123456789" }, ["auth.json"]]);
  });

  it("can be contested by logins of several processes, and nothing is lost", async () => {
    const left = await leftLock();
    const providers = [1, 2, 3].map((process) => [1, 2, 3, 4].map((n) => `p${process}-${n}`));
    for (let round = 0; round < 8; round++) {
      rmSync(path, { force: true });
      writeFileSync(`${path}.lock`, left.replace(/"nonce":"/, `"nonce":"${round}`));
      const script = new URL("model-auth-main.ts", import.meta.url);
      const racing = await Promise.all(providers.map((own) => secondProcess(script, home, own)));
      for (const each of racing) expect(await each.line()).toBe("ready");
      for (const each of racing) each.child.stdin?.write("go\n");
      for (const each of racing) expect(await each.line()).toBe("stored");
      for (const each of racing) await each[Symbol.asyncDispose]();
      const expected = Object.fromEntries(providers.flat().map((provider) => [provider, `key-${provider}`]));
      expect(readStored()).toEqual(expected);
    }
    expect(names()).toEqual(["auth.json"]);
  });

  it("is waited for while its holder runs", async () => {
    const lock = await lockAuth(`${path}.lock`, 0);
    let done = false;
    const stored = storeCredential("groq", "gsk-0123456789").then(() => {
      done = true;
    });
    await expect(lockAuth(`${path}.lock`, 50)).rejects.toMatchObject({ code: "MODEL_AUTH_LOCK" });
    expect(done).toBe(false);
    lock.release();
    await stored;
    expect(readStored()).toEqual({ groq: "gsk-0123456789" });
  });

  it.each(["", "{", '{"pid":1}'])("with content %j is respected until it is old", async (content) => {
    writeFileSync(`${path}.lock`, content);
    await expect(lockAuth(`${path}.lock`, 50)).rejects.toMatchObject({ code: "MODEL_AUTH_LOCK" });
    utimesSync(`${path}.lock`, 1, 1);
    (await lockAuth(`${path}.lock`, 0)).release();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });
});

it("a login that lost its lock changes nothing, and leaves the new holder's lock", async () => {
  const change = changeCredential("groq", () => {
    writeFileSync(`${path}.lock`, "another's");
    return "gsk-0123456789";
  });
  await expect(change).rejects.toThrow("another process has taken over");
  expect([readStored(), names()]).toEqual([{}, ["auth.json.lock"]]);
});

it("a login keeps a link at the path of the stored keys, also one to a file that does not exist yet", async () => {
  const target = join(home, "keys.json");
  symlinkSync("../keys.json", path);
  for (const [provider, key] of [
    ["groq", "gsk-0123456789"],
    ["openai", "sk-0123456789"],
  ] as const)
    await storeCredential(provider, key);
  expect(readlinkSync(path)).toBe("../keys.json");
  expect(JSON.parse(readFileSync(target, "utf8")).keys).toEqual({ groq: "gsk-0123456789", openai: "sk-0123456789" });
  expect(statSync(target).mode & 0o777).toBe(0o600);
});

it("a failure to read the stored keys or to lock them does not advise removing them", async () => {
  mkdirSync(path);
  expect(() => readStored()).toThrow(expect.objectContaining({ code: "MODEL_AUTH_UNREADABLE" }));
  expect(() => readStored()).not.toThrow(/remove/);
  writeFileSync(`${path}.lock`, "");
  const locking = lockAuth(`${path}.lock`, 0);
  await expect(locking).rejects.toMatchObject({ code: "MODEL_AUTH_LOCK" });
  await expect(locking).rejects.not.toThrow(/remove/);
});

describe("requests of a login", () => {
  it("use our own HTTP client, unlike those of others", async () => {
    const others: unknown[] = [];
    const stand: typeof fetch = async (input) => {
      others.push(input);
      return new Response("theirs");
    };
    vi.stubGlobal("fetch", stand);
    const [start, begun] = [gate(), gate()];
    const heard: Heard = {};
    const login = overWire(heard, new AbortController().signal, async () => {
      begun.open();
      await start.promise;
      return fetch("https://127.0.0.1:1/token");
    });
    await begun.promise;
    expect(await (await fetch("https://elsewhere.test")).text()).toBe("theirs");
    start.open();
    await expect(login).rejects.toThrow("fetch failed");
    expect({ others, heard, same: fetch === stand }).toEqual({
      others: ["https://elsewhere.test"],
      heard: { host: "127.0.0.1:1", unreached: "ECONNREFUSED" },
      same: true,
    });
    vi.unstubAllGlobals();
  });

  it("are sent only over TLS", async () => {
    const login = overWire({}, new AbortController().signal, () => fetch("http://127.0.0.1:1/token"));
    await expect(login).rejects.toThrow("https only");
  });
});

describe("a token that becomes known later", () => {
  it("is redacted from texts from then on, even in the middle of one", () => {
    const secrets = createSecrets([], [], { COPY: "the token-0123456789" });
    const begun = secrets.redactor();
    expect([begun.write("token-0123456789 "), secrets.childEnv()]).toEqual([
      "token-0123456789 ",
      { COPY: "the token-0123456789" },
    ]);
    secrets.learn(["token-0123456789"]);
    expect([begun.write("a token-01234"), begun.write("56789"), begun.end()]).toEqual(["a ", "[redacted]", ""]);
    expect([secrets.redact("token-0123456789"), secrets.childEnv()]).toEqual(["[redacted]", {}]);
  });

  it("is redacted as the hundredth of long ones, together with the first, and with a key as large as a file", () => {
    const token = (at: number) => `tid=${at};${"exp=1:abcdef;".repeat(60)};${at}`;
    const key = "k1".repeat(60_000);
    const secrets = createSecrets([], [key], {});
    for (let at = 0; at < 100; at++) secrets.learn([token(at)]);
    const text = `${token(0)} ${encodeURIComponent(token(99))} ${key} tid=3`;
    expect(secrets.redact(text)).toBe("[redacted] [redacted] [redacted] tid=3");
    const streamed = secrets.redactor();
    const pieces = text.match(/.{1,777}/gs) ?? [];
    expect(pieces.map((piece) => streamed.write(piece)).join("") + streamed.end()).toBe(secrets.redact(text));
  });

  it("does not add further encodings of the secrets that were known before", () => {
    const secrets = createSecrets([], ["tid=1;exp=2;sku=free"], {});
    for (let at = 0; at < 3; at++) secrets.learn([`tid=1;exp=2;sku=${at}`]);
    const once = encodeURIComponent("tid=1;exp=2;sku=free");
    expect(secrets.redact(`is ${once}, was ${encodeURIComponent(once)}`)).toBe(
      `is [redacted], was ${encodeURIComponent(once)}`,
    );
  });
});

it("a request whose login cannot be renewed, because the network is down, can be tried again", async () => {
  const old = { access: "sk-ant-oat-old-0123456789", refresh: "refresh-old-0123456789", expires: Date.now() - 1 };
  await storeCredential("anthropic", old);
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:9");
  const config = { type: "builtin", provider: "anthropic", id: "claude-opus-4-5" };
  await using opened = await testKernel([{ plugin: model, config }]);
  const asked = { messages: [{ role: "user" as const, content: "hi", timestamp: 1 }] };
  const stream = await opened.kernel.find("model")?.stream(asked, {});
  expect(await stream?.result()).toMatchObject({
    errorMessage: expect.stringContaining("could not be renewed now"),
    failure: { unreached: "the proxy 127.0.0.1:9: ECONNREFUSED" },
  });
});

describe("a renewed login that cannot be stored", () => {
  const old = { access: "sk-ant-oat-old-0123456789", refresh: "refresh-old-0123456789", expires: 1 };
  const [access, refresh] = ["sk-ant-oat-new-0123456789", "refresh-new-0123456789"];

  it("names the file, and is stored by the next request, since a provider renews each login once", async () => {
    await storeCredential("anthropic", old);
    const before = readFileSync(path, "utf8");
    await using sites = await startSites({
      "platform.claude.com/v1/oauth/token": () => {
        writeFileSync(path, "{");
        return { json: { access_token: access, refresh_token: refresh, expires_in: 7_200 } };
      },
    });
    vi.stubEnv("HTTPS_PROXY", sites.env.HTTPS_PROXY);
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");

    await expect(renewed("anthropic")).rejects.toThrow(`${path} cannot be used: it is not JSON`);
    writeFileSync(path, before);
    expect(await renewed("anthropic")).toMatchObject({ access, refresh });
    expect(readStored()).toMatchObject({ anthropic: { access, refresh } });
    expect(sites.requests).toHaveLength(1);
  });
});
