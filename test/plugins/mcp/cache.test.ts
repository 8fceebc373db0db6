import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { Clock } from "../../../plugins/mcp/context.ts";
import { Catalog } from "../../../plugins/mcp/servers/catalog.ts";
import { text, toolCall } from "../../model-server.ts";
import { type TestHome, testHome } from "../host/home.ts";
import { lastText, offered, server, talk, testClock } from "./setup.ts";

/** A server whose tools are cached from an earlier session, and which answers nothing before its gate is opened. */
async function knownServer(home: TestHome, args: readonly string[] = ["--only=echo"]) {
  const gate = join(home.home, "gate");
  const words = join(home.home, "words");
  writeFileSync(words, "Does");
  const open = () => writeFileSync(gate, "");
  open();
  const servers = [server("test", args, { env: { GATE: gate, WORDS: words } })];
  {
    await using t = await talk([text("Hello.")], { home, servers });
    await t.say("Go.");
  }
  rmSync(gate);
  return { servers, open, describe: (with_: string) => writeFileSync(words, with_) };
}

const call = () => toolCall("mcp__test__echo", { text: "hi" });
const recordIn = ({ home }: TestHome) => {
  const folder = join(home, ".scorel/mcp");
  const name = readdirSync(folder).find((each) => each.endsWith(".tools.json")) as string;
  return join(folder, name);
};

/** Makes a record two hours old. */
function age(path: string): void {
  const then = new Date(Date.now() - 2 * 60 * 60_000);
  utimesSync(path, then, then);
}

it("tools of an earlier session are offered before the server is up, and a call waits for it", async () => {
  using home = testHome();
  const { servers, open } = await knownServer(home);
  await using t = await talk([call(), text("Done.")], { home, servers });
  const { id } = await t.begin("Go.");
  await expect.poll(() => t.model.requests.length).toBe(1);
  const rows = (await t.client.request("list_mcp_servers", { sessionId: t.sessionId })).servers;
  expect(rows[0]).toMatchObject({ version: "test 1.2.3", tools: ["mcp__test__echo"] });
  expect(rows[0]?.state).not.toBe("up");
  open();
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  expect(t.model.requests.map(offered)).toEqual([["mcp__test__echo"], ["mcp__test__echo"]]);
  expect(lastText(t.model.requests[1] as never)).toBe("hi");
  await t.client.drained(t.sessionId);
  expect(JSON.stringify(t.heard)).not.toContain("still starting");
});

it("a call waits longer than hooks usually may for a known server that takes long to start", async () => {
  using home = testHome();
  const { servers, open } = await knownServer(home);
  await using t = await talk([call(), text("Done.")], { home, servers });
  const state = async () => (await t.client.request("list_mcp_servers", { sessionId: t.sessionId })).servers[0]?.state;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { id } = await t.begin("Go.");
    // Its timer has not run, so the call has started it.
    await expect.poll(state).toBe("starting");
    vi.advanceTimersByTime(45_000);
    open();
    await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  } finally {
    vi.useRealTimers();
  }
  expect(lastText(t.model.requests[1] as never)).toBe("hi");
});

it("a server that is slower than the session is known to the next one, if it answers while the session ends", async () => {
  using home = testHome();
  const gate = join(home.home, "gate");
  const servers = [server("test", ["--only=echo"], { env: { GATE: gate } })];
  const { clock, pending, next } = testClock();
  await using t = await talk([text("Hello.")], { home, servers, clock });
  const { id } = await t.begin("Go.");
  await expect.poll(() => pending.length).toBe(1);
  next();
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  const closing = t.close();
  await expect.poll(() => pending.map(({ ms }) => ms)).toEqual([4_000]);
  writeFileSync(gate, "");
  await closing;
  expect(readFileSync(recordIn(home), "utf8")).toContain('"echo"');
  expect(pending).toEqual([]);
  await using later = await talk([text("Hello.")], { home, servers, clock });
  expect((await later.say("Go.")).map(offered)).toEqual([["mcp__test__echo"]]);
});

/**
 * Runs a session with a silent server; returns the time limits, in milliseconds, with which it waits for the server at
 * its end.
 */
async function waitsAtEnd(options: Parameters<typeof talk>[1]): Promise<number[]> {
  const { clock, pending, next } = testClock();
  await using t = await talk([text("Hello.")], { servers: [server("test", ["--silent"])], clock, ...options });
  const { id } = await t.begin("Go.");
  await expect.poll(() => pending.length).toBe(1);
  next();
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  let isOver = false;
  const closing = t.close().then(() => {
    isOver = true;
  });
  await expect.poll(() => isOver || pending.length > 0).toBe(true);
  const waits = pending.map(({ ms }) => ms);
  next();
  await closing;
  return waits;
}

it("a session ends in time although a server does not answer, and a person does not wait for it", async () => {
  expect(await waitsAtEnd({})).toEqual([4_000]);
  expect(await waitsAtEnd({ attending: true })).toEqual([]);
});

it("a server that has delayed the end of a session without answering does not delay the sessions that follow soon", async () => {
  using home = testHome();
  expect(await waitsAtEnd({ home })).toEqual([4_000]);
  const { clock, pending } = testClock();
  await using t = await talk([text("Hello.")], { home, servers: [server("test", ["--silent"])], clock });
  await t.say("Go.");
  await t.client.drained(t.sessionId);
  expect(JSON.stringify(t.heard)).toContain("still starting");
  await t.close();
  expect(pending).toEqual([]);
});

it("ten servers whose tools are known are not started before the first request, and do not change it", async () => {
  using home = testHome();
  const servers = Array.from({ length: 10 }, (_, at) => server(`s${at}`, ["--only=echo"]));
  await using first = await talk([text("Hello.")], { home, servers });
  const [before] = await first.say("Go.");
  await first.close();
  const { clock, pending, next } = testClock();
  await using t = await talk([text("Hello.")], { home, servers, clock });
  const [request] = await t.say("Go.");
  expect(JSON.stringify(request?.body.tools)).toBe(JSON.stringify(before?.body.tools));
  const states = async () =>
    (await t.client.request("list_mcp_servers", { sessionId: t.sessionId })).servers.map(({ state }) => state);
  expect(new Set(await states())).toEqual(new Set(["off"]));
  expect(pending.map(({ ms }) => ms)).toEqual([500]);
  next();
  await expect.poll(async () => new Set(await states())).toEqual(new Set(["up"]));
});

it("a short run asks a known server for its changes, for the next run", async () => {
  using home = testHome();
  const only = join(home.home, "only");
  writeFileSync(only, "echo");
  const servers = [server("test", [], { env: { ONLY: only } })];
  const run = async (clock?: Clock) => {
    await using t = await talk([text("Hello.")], { home, servers, ...(clock && { clock }) });
    return (await t.say("Go.")).map(offered);
  };
  await run();
  writeFileSync(only, "echo,folder");
  expect(await run(testClock().clock)).toEqual([["mcp__test__echo"]]);
  // The tools are not listed again in each of many short runs, but only after some time.
  expect(await run(testClock().clock)).toEqual([["mcp__test__echo"]]);
  age(recordIn(home));
  // The clock stands still, so the session ends before it starts the server.
  expect(await run(testClock().clock)).toEqual([["mcp__test__echo"]]);
  expect(await run(testClock().clock)).toEqual([["mcp__test__echo", "mcp__test__folder"]]);
});

it("a run ends in time although a known server does not answer, and a person does not wait for it", async () => {
  using home = testHome();
  const { servers } = await knownServer(home);
  age(recordIn(home));
  const { clock, pending, next } = testClock();
  for (const [attending, waits] of [
    [false, [1_000]],
    [true, []],
  ] as const) {
    await using t = await talk([text("Hello.")], { home, servers, clock, attending });
    await t.say("Go.");
    const closing = t.close();
    if (waits.length > 0) await expect.poll(() => pending.map(({ ms }) => ms)).toEqual(waits);
    next();
    await closing;
  }
});

it("a known server that lists its resources too slowly when a run ends stays known with them", async () => {
  using home = testHome();
  const hung = join(home.home, "hung");
  const servers = [server("test", ["--only=echo", "--extras"], { env: { HUNG: hung } })];
  {
    await using t = await talk([text("Hello.")], { home, servers });
    await t.say("Go.");
  }
  const known = readFileSync(recordIn(home), "utf8");
  expect(known).toContain("note://today");
  age(recordIn(home));
  writeFileSync(hung, "resources/list");
  const { clock, pending, next } = testClock();
  await using t = await talk([text("Hello.")], { home, servers, clock });
  await t.say("Go.");
  const closing = t.close();
  await expect.poll(() => pending.map(({ ms }) => ms)).toEqual([1_000]);
  await expect.poll(() => existsSync(`${hung}.asked`)).toBe(true);
  next();
  await closing;
  expect(readFileSync(recordIn(home), "utf8")).toBe(known);
});

it("a search that finds nothing asks known servers for their changes", async () => {
  using home = testHome();
  const only = join(home.home, "only");
  writeFileSync(only, "echo");
  const servers = [server("test", [], { env: { ONLY: only } })];
  const options = { home, servers, config: { toolBudget: 2 } };
  {
    await using t = await talk([text("Hello.")], options);
    await t.say("Go.");
  }
  writeFileSync(only, "echo,folder");
  const script = [toolCall("ToolSearch", { query: "folder" }), toolCall("mcp__test__folder", {}), text("Done.")];
  await using t = await talk(script, { ...options, clock: testClock().clock });
  const requests = await t.say("Go.");
  expect(lastText(requests[1] as never)).toBe("You can call these now:\nmcp__test__folder: Does folder.");
  expect(requests.map(offered).slice(0, 2)).toEqual([["ToolSearch"], ["ToolSearch", "mcp__test__folder"]]);
  expect(lastText(requests[2] as never)).toContain(
    "the server test has added this tool since you first used the server",
  );
});

it("a server's new list of tools replaces the cached one, from the next turn on and for later sessions", async () => {
  using home = testHome();
  const { servers, open, describe } = await knownServer(home);
  describe("Now does");
  open();
  await using t = await talk([text("Hello."), text("Hello again.")], { home, servers });
  const described = (request: any) => request.body.tools[0].function.description;
  expect((await t.say("Go.")).map(described)).toEqual(["Does echo."]);
  await expect.poll(() => readFileSync(recordIn(home), "utf8")).toContain("Now does echo.");
  expect((await t.say("Go on.")).map(described)).toEqual(["Now does echo."]);
});

it("a call of a tool that has changed since is asked about, although a rule allows what it was", async () => {
  using home = testHome();
  const { servers, open, describe } = await knownServer(home);
  describe("Now does");
  open();
  const rules = { allow: ["mcp__test__*"] };
  await using t = await talk([call(), text("Done.")], { home, servers, rules, permission: "ask", attending: true });
  const { id } = await t.begin("Go.");
  const question = () => t.heard.find(({ type }) => type === "approval_request");
  await expect.poll(question).toBeDefined();
  const { requestId } = question();
  await t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer: "n" });
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
});

it("a call of a tool that the server no longer has is an error, and the server does not see it", async () => {
  using home = testHome();
  const list = join(home.home, "list");
  writeFileSync(list, "echo,folder");
  const servers = [server("test", [], { env: { ONLY: list } })];
  {
    await using t = await talk([text("Hello.")], { home, servers });
    await t.say("Go.");
  }
  writeFileSync(list, "folder");
  await using t = await talk([call(), text("Done.")], { home, servers });
  const requests = await t.say("Go.");
  expect(lastText(requests[1] as never)).toContain("it no longer has this tool");
});

it("a call of a known server that cannot be started says so", async () => {
  using home = testHome();
  const program = join(home.home, "server.mjs");
  const servers = [{ name: "test", command: process.execPath, args: [program] }];
  const source = new URL("../../fixtures/mcp-tools.mjs", import.meta.url);
  writeFileSync(program, readFileSync(source));
  {
    await using t = await talk([text("Hello.")], { home, servers });
    await t.say("Go.");
  }
  rmSync(program);
  await using t = await talk([call(), text("Done.")], { home, servers });
  expect(lastText((await t.say("Go."))[1] as never)).toContain('The MCP server "test" could not be started');
});

it("a known server that cannot be started is reported once, however often it is called and whatever it writes", async () => {
  using home = testHome();
  const program = join(home.home, "server.mjs");
  const servers = ["one", "two"].map((name) => ({ name, command: process.execPath, args: [program, "--only=echo"] }));
  writeFileSync(program, readFileSync(new URL("../../fixtures/mcp-tools.mjs", import.meta.url)));
  {
    await using t = await talk([text("Hello.")], { home, servers });
    await t.say("Go.");
  }
  writeFileSync(program, 'console.error("no licence for process", process.pid); process.exit(1);');
  const calls = ["one", "two", "one", "two"].map((name) => toolCall(`mcp__${name}__echo`, { text: "x" }));
  await using t = await talk([...calls, text("Done.")], { home, servers });
  await t.say("Go.");
  await t.close();
  const told = t.heard.filter(({ type }) => type === "plugin_failure").map(({ message }) => message);
  expect(told.map((text: string) => /MCP server "(\w+)" could not/.exec(text)?.[1])).toEqual(["one", "two"]);
});

it("the cached list is private, and an unreadable one is reported and written again", () => {
  using home = testHome();
  const problems: unknown[] = [];
  const definition = { name: "test", way: { command: "run", args: [], env: {}, cwd: "/" } };
  const catalog = () => new Catalog(definition, (thrown) => problems.push((thrown as Error).message));
  const inventory = {
    tools: [{ name: "a", inputSchema: { type: "object" } }],
    isCut: false,
    prompts: [],
    hasResources: false,
  };
  catalog().learn(inventory, "test 1");
  const record = recordIn(home);
  expect(statSync(record).mode & 0o777).toBe(0o600);
  for (const damage of [
    "{",
    "7",
    '{ "version": "1" }',
    '{ "version": "1", "inventory": { "tools": [{ "name": 7 }] } }',
  ]) {
    writeFileSync(record, damage);
    const damaged = catalog();
    damaged.recall();
    expect(damaged.tools).toBeUndefined();
  }
  expect(problems).toHaveLength(4);
  expect(problems.at(-1)).toContain("its list of tools is damaged");
  catalog().learn(inventory, "test 1");
  const known = catalog();
  known.recall();
  expect(known.tools).toEqual(inventory.tools);
});

it("what was cached of a server that was not used for a month is deleted when another one is cached", () => {
  using home = testHome();
  const learn = (command: string) => {
    const way = { command, args: [], env: {}, cwd: "/" };
    new Catalog({ name: command, way }, () => {}).learn(
      { tools: [], isCut: false, prompts: [], hasResources: false },
      "1",
    );
  };
  const folder = join(home.home, ".scorel/mcp");
  const records = () => readdirSync(folder).map((name) => name.replace(/-\w+/, ""));
  learn("old");
  learn("young");
  const then = new Date(Date.now() - 31 * 24 * 60 * 60_000);
  for (const name of readdirSync(folder).filter((each) => each.startsWith("old")))
    utimesSync(join(folder, name), then, then);
  learn("new");
  expect(records().sort()).toEqual(["new.json", "new.tools.json", "old.json", "young.json", "young.tools.json"]);
});

it("a record that cannot be deleted is reported once, and does not keep other records from being written", () => {
  using home = testHome();
  const problems: unknown[] = [];
  const definition = { name: "test", way: { command: "run", args: [], env: {}, cwd: "/" } };
  const catalog = new Catalog(definition, (thrown) => problems.push((thrown as Error).message));
  const old = join(home.home, ".scorel/mcp/old-0.tools.json");
  mkdirSync(old, { recursive: true, mode: 0o700 });
  const then = new Date(Date.now() - 31 * 24 * 60 * 60_000);
  utimesSync(old, then, then);
  const inventory = { tools: [], isCut: false, prompts: [], hasResources: false };
  for (const version of ["1", "2", "2"]) catalog.learn(inventory, version);
  expect(problems).toEqual([expect.stringContaining(old)]);
  const later = new Catalog(definition, (thrown) => problems.push(thrown));
  later.recall();
  expect(later.version).toBe("2");
});
