import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWith, itWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

const KEY = "vk-0123456789abcdef";

/** The servers that were asked for a reply. */
const asked: Server[] = [];

/** A server like vLLM: it requires a key, lists models with their context windows, and replies. */
function server(key?: string): Server {
  const made = createServer((request, response) => {
    const json = (status: number, value: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) return json(401, { error: "no key" });
    if (request.url === "/v1/models")
      return json(200, {
        object: "list",
        data: [{ id: "small" }, { id: "large", max_model_len: 65_536 }, { id: "odd\u001b[2J" }, { id: "two\nlines" }],
      });
    if (request.url !== "/v1/chat/completions") return json(404, {});
    asked.push(made);
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${chunk({ role: "assistant", content: "ok" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  return made;
}

/** A server that lists a model which it then does not find. */
const boasting = createServer((request, response) => {
  const isList = request.url === "/v1/models";
  response
    .writeHead(isList ? 200 : 404, { "content-type": "application/json" })
    .end(JSON.stringify(isList ? { data: [{ id: "gone" }] } : { error: { message: "no model gone" } }));
});
const open = server();
const closed = server(KEY);
const failing = createServer((_request, response) => void response.writeHead(500).end("no memory\nleft"));
const addressOf = (of: Server) => `127.0.0.1:${(of.address() as AddressInfo).port}`;
beforeAll(async () => {
  for (const each of [open, closed, failing, boasting])
    await new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  for (const each of [open, closed, failing, boasting]) each.close();
});

const configOf = (s: Scratch) => readFileSync(join(s.home, ".scorel/config.toml"), "utf8");
const login = (s: Scratch, answers: readonly string[], env?: Record<string, string>) =>
  s.run(["login", "custom"], { input: answers.map((each) => `${each}\n`).join(""), ...(env && { env }) });

/** The configuration that is written for the model "large" of the server without a key. */
const tableWith = (contextWindow: number, maxTokens: number) =>
  [
    "[model]",
    'type = "custom"',
    'api = "openai-completions"',
    'provider = "local"',
    'id = "large"',
    `baseUrl = "http://${addressOf(open)}/v1"`,
    `contextWindow = ${contextWindow}`,
    `maxTokens = ${maxTokens}`,
    "",
  ].join("\n");

describe("scorel login custom", () => {
  it("asks for a server and a model, shows the table, adds it, and tries it", async () => {
    using s = scratch({ inProcess: true });
    const { code, stdout, stderr } = await login(s, [addressOf(open), "", "9", "large", "", "y"]);
    const table = tableWith(65_536, 16_384);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("  1  small\n  2  large\n  3  two\\u{a}lines\nWhich model");
    expect(stdout).toContain("There is no such model. Enter a number from 1 to 3,");
    expect(stdout).toContain(table);
    expect(stdout).toMatch(/^ok {2}local\/large \(openai-completions, 127\.0\.0\.1:\d+, /m);
    expect(configOf(s)).toBe(table);
    expect((await s.run(["model", "check"])).stdout).toMatch(/^ok {2}local\/large /);
  });

  it("accepts numbers of tokens as people write them, and repeats a question after an answer that is neither yes nor no", async () => {
    using s = scratch({ inProcess: true });
    const { code, stdout } = await login(s, [addressOf(open), "", "large", "0k", "48K", "clear", "no"]);
    expect([
      code,
      stdout.match(/Add it\?|Answer y or n|Write a number of tokens|contextWindow = \d+|Nothing/g),
    ]).toEqual([
      0,
      ["Write a number of tokens", "contextWindow = 48000", "Add it?", "Answer y or n", "Add it?", "Nothing"],
    ]);
  });

  it("keeps a model that is configured, and sends the key of the named variable, which it never writes", async () => {
    using s = scratch({ inProcess: true });
    const before = '# mine\n[model]\ntype = "builtin"\nprovider = "groq"\nid = "llama-3.3-70b-versatile"';
    s.file("~/.scorel/config.toml", before);
    const answers = [`http://${addressOf(closed)}/v1/`, KEY, "VLLM_KEY", "1", "nonsense", "32000", ""];
    const { code, stdout } = await login(s, answers, { VLLM_KEY: KEY });
    expect([code, stdout.includes(KEY), stdout.includes("That is not the name of a variable.")]).toEqual([
      0,
      false,
      true,
    ]);
    expect(configOf(s).startsWith(`${before}\n\n[models.local]\ntype = "custom"\n`)).toBe(true);
    expect(configOf(s)).toContain('apiKeyEnv = "VLLM_KEY"\ncontextWindow = 32000\nmaxTokens = 8000\n');
    expect(stdout).toContain("Your [model] was not changed.");
    expect((await s.run(["model", "check", "--model", "local/small"], { env: { VLLM_KEY: KEY } })).stdout).toMatch(
      /^ok {2}local\/small /,
    );
  });

  it.each([
    ["a refused key", () => [addressOf(closed), ""], "it requires a key (401)"],
    [
      "an address of another kind",
      () => ["ftp://127.0.0.1"],
      "it begins with ftp://. Write one that begins with http://",
    ],
    [
      "a server that fails",
      () => [addressOf(failing), ""],
      "status 500: no memory left. The server itself has a problem",
    ],
    ["nothing at the address", () => ["127.0.0.1:1", ""], "ECONNREFUSED"],
    ["a password in the address", () => ["http://me:hunter22@127.0.0.1:1", ""], "holds a user name or password"],
    ["an input that ends", () => [addressOf(open)], "The input ended before all questions were answered."],
  ])("says what is wrong with %s, and changes nothing", async (_what, answers, reason) => {
    using s = scratch({ inProcess: true });
    const { code, stdout, stderr } = await login(s, answers());
    expect({ code, told: stderr.includes(reason), leaked: (stdout + stderr).includes("hunter22") }).toEqual({
      code: 2,
      told: true,
      leaked: false,
    });
    expect(() => configOf(s)).toThrow("ENOENT");
  });

  it("changes nothing when the user does not want the table", async () => {
    using s = scratch({ inProcess: true });
    expect(await login(s, [addressOf(open), "", "2", "", "n"])).toMatchObject({ code: 0 });
    expect(() => configOf(s)).toThrow("ENOENT");
  });

  it.each([
    ["is taken back", "", undefined],
    ["is kept if somebody wants it", "y", 'id = "gone"'],
    ["is kept when the input ends", undefined, 'id = "gone"'],
  ])("the table of a model that does not answer %s", async (_what, last, kept) => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/config.toml", "# mine\n");
    const { code, stdout } = await login(s, [addressOf(boasting), "", "", "", ...(last === undefined ? [] : [last])]);
    expect([code, stdout.includes("failed  local/gone"), stdout.includes("Keep the table anyway? [y/N]")]).toEqual([
      1,
      true,
      true,
    ]);
    if (kept === undefined) expect(configOf(s)).toBe("# mine\n");
    else expect(configOf(s)).toContain(kept);
  });

  it("undoes only its own change when the model does not answer", async () => {
    using s = scratch({ inProcess: true });
    await login(s, [addressOf(boasting), "", "", "", "y"]);
    const before = configOf(s);
    const { stdout } = await login(s, [addressOf(boasting), "", "32000", "", "n"]);
    expect([stdout.includes("Keep the change anyway?"), configOf(s)]).toEqual([true, before]);
  });

  it("gives a second server another name, and its model is used there", async () => {
    using s = scratch({ inProcess: true });
    await login(s, [addressOf(open), "", "1", "", ""]);
    const { stdout } = await login(s, [addressOf(closed), "VLLM_KEY", "1", "", ""], { VLLM_KEY: KEY });
    expect(stdout).toContain("To use this one: scorel --model local-2/small\n");
    asked.length = 0;
    for (const name of ["local-2/small", "local/small"])
      await s.run(["-p", "hello", "--model", name], { env: { VLLM_KEY: KEY } });
    expect(asked.map((each) => each === closed)).toEqual([true, false]);
    const listed = (await s.run(["model", "list", "small"])).stdout;
    expect([/^local\/small /m.test(listed), /^local-2\/small /m.test(listed)]).toEqual([true, true]);
  });

  it("changes only the table of a model that it has added before", async () => {
    using s = scratch({ inProcess: true });
    await login(s, [addressOf(open), "", "large", "", ""]);
    s.file("~/.scorel/config.toml", `# mine\n${configOf(s)}# fast\nreasoning = true\n\n[agent]\nidleTimeout = 30\n`);
    const { stdout } = await login(s, [`http://${addressOf(open)}/`, "", "large", "32000", ""]);
    expect(stdout).toContain("Change it? [Y/n] Changed.");
    expect(configOf(s)).toBe(
      `# mine\n${tableWith(32_000, 8000)}# fast\nreasoning = true\n\n[agent]\nidleTimeout = 30\n`,
    );
  });

  it.each([
    ["yes", "", true],
    ["no", "n\n", false],
    ["no after another word", "nay\nn\n", false],
    ["an input that ends", undefined, false],
  ])("offers the model as [model] where there is none, and takes %s", async (_what, last, added) => {
    using s = scratch({ inProcess: true });
    await login(s, [addressOf(open), "", "large", "", ""]);
    const described = configOf(s).replace("[model]", "[models.mine]");
    s.file("~/.scorel/config.toml", described);
    const { code, stdout } = await login(s, [
      addressOf(open),
      "",
      "large",
      "",
      "",
      ...(last === undefined ? [] : [last]),
    ]);
    expect([code, stdout.includes("There is no [model]."), stdout.includes("Added as [model].")]).toEqual([
      0,
      true,
      added,
    ]);
    expect(stdout.includes("To use this one: scorel --model local/large\n")).toBe(!added);
    expect(configOf(s)).toBe(added ? `${described}\n${described.replace("[models.mine]", "[model]")}` : described);
  });

  describeWith("script", "a terminal", () => {
    it.each([
      ["login", [], "Provider, such as"],
      ["login anthropic", ["anthropic"], "with a key (k) or a subscription (s)?"],
      ["login groq", ["groq"], "Key for groq"],
      ["login custom", ["custom"], "Address of the server"],
    ])("Ctrl-C at a question of `%s` cancels it", async (_what, provider, question) => {
      using s = scratch();
      await using t = terminal(s, ["login", ...provider]);
      await t.shows(question);
      t.type("\u0003");
      expect(await t.code).toBe(130);
      await t.shows("scorel: The login was cancelled. Nothing was changed.");
    });
  });

  itWith("script", "asks at a terminal for another address after one that does not work", async () => {
    using s = scratch();
    await using t = terminal(s, ["login", "custom"]);
    for (const [address, error] of [
      ["ftp://127.0.0.1", "it begins with ftp://"],
      ["http://", "This address cannot be used"],
    ] as const) {
      await t.shows("Address of the server");
      t.type(`${address}\n`);
      await t.shows(error);
    }
    await t.shows("Address of the server");
    t.type(`${addressOf(failing)}\n`);
    await t.shows("holds its key");
    t.type("\n");
    await t.shows("status 500: no memory left");
    await t.shows("Address of the server");
    t.type(`${addressOf(boasting)}\n`);
    await t.shows("holds its key");
    t.type("\n");
    await t.shows("Context window");
    t.type("\n");
    await t.shows("Add it?");
    t.type("\n");
    await t.shows("Keep the table anyway?");
    t.type("\n");
    await t.shows("Try another server or model?");
    t.type("\n");
    await t.shows("Address of the server");
    t.type(`${addressOf(open)}\n`);
    await t.shows("holds its key");
    t.type("\n");
    await t.shows("Which model");
    t.type("small\n");
    await t.shows("Context window");
    t.type("\n");
    await t.shows("Add it?");
    t.type("\n");
    await t.shows("ok  local/small");
    expect(await t.code).toBe(0);
  });
});
