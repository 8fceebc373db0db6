import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import { definePlugin, type Kernel, type KernelEntry, messageOf } from "@scorel/kernel";
import model from "@scorel/model";
import type { ModelProvider } from "@scorel/model/contract";
import models from "@scorel/models";
import type { Composition } from "@scorel/workspace/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { contained, testKernel } from "../harness.ts";
import { finish, raw, type Script, startModelServer, status, text } from "../model-server.ts";
import { customModel } from "../model-service.ts";
import { certificate, privateKey } from "./ws/certificate.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "scorel-login-"));
  vi.stubEnv("HOME", home);
  for (const name of ["OPENAI_API_KEY", "GROQ_API_KEY"]) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

interface Run {
  /** The table [model]. */
  config?: object;
  options?: Record<string, unknown>;
  stdin?: Readable;
  /** Further plugins of the session. */
  plugins?: KernelEntry[];
}

/** Runs one of the plugin's commands; `code` is the exit code or the code of the error. */
async function run(
  command: string,
  args: string[] = [],
  { config, options = {}, stdin = Readable.from([]), plugins = [] }: Run = {},
) {
  let kernel: Kernel | undefined;
  const composition: Composition = {
    kernel: () => kernel as Kernel,
    sessionPlugins: async () => ({ entries: [{ plugin: model, config, origin: "test" }, ...plugins], problems: [] }),
  };
  await using t = await testKernel([models], { services: { composition } });
  kernel = t.kernel;
  const stdout = new PassThrough();
  const interrupt = new AbortController().signal;
  const invocation = { args, options, cwd: "/", stdin, stdout, stderr: stdout, interrupt } as unknown as Invocation;
  const commands = t.kernel.collect("cliCommands").flatMap(({ value }) => value);
  const found = commands.find(({ noun, action }) => [noun, action].filter(Boolean).join(" ") === command);
  const code = await Promise.resolve(found?.run(invocation)).catch(messageOf);
  stdout.end();
  return { code, out: String(stdout.read() ?? "") };
}

describe("scorel model list", () => {
  it("lists models with windows and prices, and which have a key", async () => {
    vi.stubEnv("GROQ_API_KEY", "gsk-0123456789");
    const { code, out } = await run("model list", ["llama-3.3 versatile"]);
    expect([code, out.replace(/ +/g, " ").split("\n")]).toEqual([
      0,
      [
        "model window reply $/M in $/M out can key",
        "groq/llama-3.3-70b-versatile 131k 33k 0.59 0.79 - GROQ_API_KEY",
        "",
      ],
    ]);
  });

  it("lists only what can be used", async () => {
    const { out } = await run("model list", [], { options: { all: true } });
    expect(out).toContain("anthropic/claude-opus-4-5 ");
    expect(out).not.toMatch(/^(mistral|amazon-bedrock)\//m);
  });

  it("lists only models with a key if there are some, and says how many others there are", async () => {
    const providers = (out: string) => new Set(out.split("\n").flatMap((line) => /^([\w-]+)\//.exec(line)?.[1] ?? []));
    vi.stubEnv("GROQ_API_KEY", "gsk-0123456789");
    const { out } = await run("model list");
    expect(providers(out)).toEqual(new Set(["groq"]));
    expect(out).toMatch(/\nscorel: [1-9]\d* more models have no key here: scorel model list --all\n$/);
    vi.stubEnv("GROQ_API_KEY", undefined);
    const { out: none } = await run("model list");
    expect(providers(none).size).toBeGreaterThan(5);
    expect(none).toMatch(/\nscorel: There is no key for any of these. To store one: scorel login <provider>\n$/);
  });

  it("lists providers of session plugins without starting them, and says which failed", async () => {
    const starts = vi.fn();
    const provider = (id: string, models: unknown) =>
      contained(
        definePlugin({
          id,
          name: id,
          version: "1.0.0",
          needs: ["agent"],
          activate: starts,
          providers: () => ({
            [id]: { baseUrl: "http://127.0.0.1:1/v1", api: "openai-completions", models } as ModelProvider,
          }),
        }),
      );
    const listed = [{ id: "large", contextWindow: 64_000, maxTokens: 4_000 }];
    const plugins = [provider("acme", listed), provider("broken", () => Promise.reject(new Error("no such server")))];
    const { code, out } = await run("model list", ["acme"], { plugins });
    expect([code, out.replace(/ +/g, " ").split("\n"), starts.mock.calls]).toEqual([
      0,
      [
        'scorel: Plugin "broken" failed in models of provider broken: no such server',
        "model window reply $/M in $/M out can key",
        "acme/large 64k 4k unknown unknown - no key",
        "",
      ],
      [],
    ]);
  });

  it("reports that no name matches", async () => {
    expect((await run("model list", ["nothing-like-this"])).code).toContain(
      'No model\'s name contains "nothing-like-this"',
    );
  });
});

describe("scorel model check", () => {
  const config = { ...customModel, api: "openai-responses" };

  async function check(script: Script, change: object = {}) {
    await using server = await startModelServer(script);
    const { code, out } = await run("model check", [], {
      config: { ...config, baseUrl: server.baseUrlFor("openai-responses"), ...change },
    });
    return { code, out: out.replaceAll(String(server.port), "PORT"), requests: server.requests.length };
  }

  it("sends one small request", async () => {
    expect(await check([text("ok")])).toEqual({
      code: 0,
      out: expect.stringMatching(/^ok {2}test\/m1 \(openai-responses, 127.0.0.1:PORT, no key\) answered in \d+ ms\n$/),
      requests: 1,
    });
  });

  it("accepts an answer that was cut short", async () => {
    expect((await check([[text("Well, I"), finish("length")]])).code).toBe(0);
  });

  it.each([
    ["a refused key", status(401, { error: { message: "bad key" } }), "401 bad key", "No key was sent"],
    ["an unknown model", status(404, { error: { message: "no m1" } }), "404 no m1", "scorel model list test"],
    ["no credit", status(429, { error: { message: "slow" } }), "429 slow", "no credit left"],
    ["a broken server", status(500, { error: { message: "oops" } }), "500 oops", "try again later"],
    ["a web page", raw("<html>", "text/html"), "a web page", "is baseUrl right?"],
  ])("explains %s", async (_what, reply, problem, advice) => {
    const { code, out, requests } = await check([reply]);
    expect([code, out.includes(problem), out.includes(advice), requests]).toEqual([1, true, true, 1]);
  });

  it("says where a refused key came from", async () => {
    vi.stubEnv("TEAM_KEY", "key-0123456789");
    const { out } = await check([status(403, { error: { message: "no" } })], { apiKeyEnv: "TEAM_KEY" });
    expect(out).toContain("The key in TEAM_KEY was refused: is it the one for test, and still valid? Set TEAM_KEY to");
  });

  it("explains a server that cannot be reached", async () => {
    const server = await startModelServer([]);
    await server.close();
    const { code, out } = await run("model check", [], { config: { ...config, baseUrl: server.baseUrl } });
    expect([code, out]).toEqual([
      1,
      `failed  test/m1 (openai-responses, 127.0.0.1:${server.port}, no key): cannot reach 127.0.0.1:${server.port} (ECONNREFUSED)\n` +
        `Nothing listens at 127.0.0.1:${server.port}: is the server running, and the port in baseUrl right?\n`,
    ]);
  });

  it("explains a certificate that is not trusted", async () => {
    const server = createServer({ cert: certificate, key: privateKey }, (_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const host = `localhost:${(server.address() as AddressInfo).port}`;
    const { code, out } = await run("model check", [], { config: { ...config, baseUrl: `https://${host}/v1` } });
    server.close();
    expect([code, out]).toEqual([
      1,
      `failed  test/m1 (openai-responses, ${host}, no key): cannot reach ${host} (DEPTH_ZERO_SELF_SIGNED_CERT)\n` +
        `Node.js does not trust the certificate of ${host}. If it is the right server, or your network has a proxy, put the path of the certificate that signed it into NODE_EXTRA_CA_CERTS.\n`,
    ]);
  });

  it.each([
    ["a key that is not set", { apiKeyEnv: "UNSET_KEY" }, "UNSET_KEY is not set"],
    ["a base url without a scheme", { baseUrl: "localhost:1/v1" }, "has no scheme"],
    ["credentials in the base url", { baseUrl: "https://me:secret@x.example/v1" }, "holds a user name or password"],
    [
      "/v1 for anthropic",
      { api: "anthropic-messages", baseUrl: "http://127.0.0.1:1/v1" },
      'Write it as "https://host"',
    ],
  ])("explains %s, without a request", async (_what, change, message) => {
    const { code, requests } = await check([text("never")], change);
    expect([String(code).includes(message), String(code).includes("secret"), requests]).toEqual([true, false, 0]);
  });

  it("explains a line break in a key without showing it", async () => {
    vi.stubEnv("BROKEN_KEY", "sk-secret\n");
    const { code } = await check([text("never")], { apiKeyEnv: "BROKEN_KEY" });
    expect([String(code).includes("The key in BROKEN_KEY contains"), String(code).includes("sk-secret")]).toEqual([
      true,
      false,
    ]);
  });

  it("without a model says how to set one", async () => {
    for (const name of Object.keys(process.env)) if (/_(KEY|TOKEN)$/.test(name)) vi.stubEnv(name, undefined);
    expect((await run("model check")).code).toContain("No model configured");
  });

  it("tries the model that --model names", async () => {
    expect((await run("model check", [], { options: { model: "offline/demo" } })).out).toMatch(/^ok {2}offline\/demo/);
  });
});

describe("scorel login", () => {
  const stored = () => JSON.parse(readFileSync(join(home, ".scorel/auth.json"), "utf8")).keys;

  it("takes a key from a pipe, without its line break, and shows it nowhere", async () => {
    const { code, out } = await run("login", ["groq"], { stdin: Readable.from(["gsk-01234", "56789\n"]) });
    expect([code, stored()]).toEqual([0, { groq: "gsk-0123456789" }]);
    expect(out).toBe(`Stored the key for groq in ${join(home, ".scorel/auth.json")}.\nTo try it: scorel model check\n`);
  });

  it.each([
    ["at once", ["groq\ngsk-0123456789\n"]],
    ["in pieces", ["gr", "oq\r", "\ngsk-01234", "56789\n"]],
    ["line by line", ["groq\n", "gsk-0123456789\n"]],
  ])("takes a provider and a key from a pipe that come %s", async (_how, pieces) => {
    const { code } = await run("login", [], { stdin: Readable.from(pieces.map((piece) => Buffer.from(piece))) });
    expect([code, stored()]).toEqual([0, { groq: "gsk-0123456789" }]);
  });

  it("takes a key that a person types, without echo", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
    stdin.write("gsk-0123456789\r");
    const { code, out } = await run("login", ["groq"], { stdin: stdin as never });
    expect([code, stored(), out.includes("gsk-")]).toEqual([0, { groq: "gsk-0123456789" }, false]);
    expect(out).toMatch(/^Key for groq \(not shown\): \nStored/);
  });

  it.each([
    ["is cancelled with Ctrl-C", "gsk-01\u0003", "The login was cancelled. Nothing was changed."],
    ["has no key after Ctrl-D", "\u0004", "No key was given."],
  ])("%s while a key is typed", async (_what, typed, message) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
    stdin.write(typed);
    const { code } = await run("login", ["groq"], { stdin: stdin as never });
    expect(code).toMatch(new RegExp(`^${message}`));
    expect(stored).toThrow("ENOENT");
  });

  it("asks for the method in a terminal, when there are two", async () => {
    // Unseen typing begins when the terminal is set to raw mode.
    const setRawMode = (raw: boolean) => void (raw && stdin.write("sk-ant-0123456789\r"));
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
    stdin.write("what?\nk\n");
    const { code, out } = await run("login", ["anthropic"], { stdin: stdin as never });
    expect(out.match(/with a key \(k\) or a subscription \(s\)\?/g)).toHaveLength(2);
    expect([code, stored(), out.includes("sk-ant")]).toEqual([0, { anthropic: "sk-ant-0123456789" }, false]);
  });

  it("reads a key from a pipe", async () => {
    await run("login", ["anthropic"], { stdin: Readable.from(["sk-ant-0123456789"]) });
    expect(stored()).toEqual({ anthropic: "sk-ant-0123456789" });
  });

  it("says when the environment holds another key", async () => {
    vi.stubEnv("GROQ_API_KEY", "gsk-another-0123456789");
    const { out } = await run("login", ["groq"], { stdin: Readable.from(["gsk-0123456789"]) });
    expect(out).toContain("The environment variable GROQ_API_KEY is set, and wins over it.");
  });

  it.each([
    ["no key", "groq", "\n", "No key was given"],
    ["two lines", "groq", "gsk-secret\nmore\n", "contains a space, a line break"],
    ["an unknown provider", "grok", "gsk-secret", 'Did you mean "groq"'],
  ])("refuses %s and keeps nothing", async (_what, provider, typed, message) => {
    const { code } = await run("login", [provider], { stdin: Readable.from([typed]) });
    expect([String(code).includes(message), String(code).includes("secret")]).toEqual([true, false]);
    expect(stored).toThrow("ENOENT");
  });

  it("is undone by logout", async () => {
    await run("login", ["groq"], { stdin: Readable.from(["gsk-0123456789"]) });
    expect((await run("logout", ["groq"])).out).toBe("Forgot what was stored for groq.\n");
    expect([stored(), (await run("logout", ["groq"])).out]).toEqual([{}, "There was nothing stored for groq.\n"]);
  });

  it.each(["constructor", "__proto__", "grok"])(
    "logout says that %s is not known, and what is stored",
    async (name) => {
      await run("login", ["groq"], { stdin: Readable.from(["gsk-0123456789"]) });
      const { code, out } = await run("logout", [name]);
      expect([String(code), out]).toEqual([
        `Nothing is stored for "${name}", which is not the name of a provider. There are keys or subscriptions for: groq.`,
        "",
      ]);
    },
  );
});

describe("the table [models]", () => {
  it.each([
    ["a table without a type", { summary: { provider: "groq" } }],
    ["an unknown key", { summary: { type: "builtin", provider: "groq", id: "x", baseUrl: "http://x" } }],
    ["a name in capitals", { Summary: { type: "builtin", provider: "groq", id: "x" } }],
  ])("with %s is refused", async (_what, config) => {
    await expect(
      testKernel([{ plugin: models, config }], { services: { composition: {} as Composition } }),
    ).rejects.toMatchObject({
      code: "PLUGIN_CONFIG",
    });
  });
});

it("the plugin leaves nothing behind", async () => {
  await using opened = await testKernel([], { services: { composition: {} as Composition } });
  const before = opened.kernel.census();
  await opened.kernel.load({ plugin: models, origin: "test" });
  await opened.kernel.unload("models");
  expect(opened.kernel.census()).toEqual(before);
});
