import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { testHome } from "../host/home.ts";
import { lastText, offered, server, talk, testClock } from "./setup.ts";

it("tools that a server adds during a turn are offered from the next turn on", async () => {
  const script = [toolCall("mcp__test__grow", {}), text("Done."), text("Hello.")];
  await using t = await talk(script, { servers: [server("test", ["--only=grow"])] });
  const first = await t.say("Go.");
  expect(first.map(offered)).toEqual([["mcp__test__grow"], ["mcp__test__grow"]]);
  const known = async () => (await t.client.request("list_mcp_servers", { sessionId: t.sessionId })).servers[0]?.tools;
  await expect.poll(known).toContain("mcp__test__late");
  expect((await t.say("And now?")).map(offered)).toEqual([["mcp__test__grow", "mcp__test__late"]]);
});

it("requests of a session describe the tools byte by byte the same", async () => {
  const script = [toolCall("mcp__test__echo", { text: "a" }), text("Done."), text("Again.")];
  await using t = await talk(script, { servers: [server("zeta"), server("test")] });
  const requests = [...(await t.say("Go.")), ...(await t.say("Go on."))];
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map(({ body }) => JSON.stringify(body.tools))).size).toBe(1);
});

it("a first message does not wait for a server that has not started yet, and says so once", async () => {
  const { clock, pending, next } = testClock();
  const servers = [server("test", ["--only=echo"]), server("slow", ["--silent"])];
  await using t = await talk([text("Hello."), text("Hello again.")], {
    attending: true,
    servers,
    clock,
    config: { wait: 3 },
  });
  const first = t.say("Go.");
  const stateOf = async () =>
    (await t.client.request("list_mcp_servers", { sessionId: t.sessionId })).servers[0]?.state;
  await expect.poll(stateOf).toBe("up");
  await expect.poll(() => pending.map(({ ms }) => ms)).toEqual([3_000]);
  next();
  const requests = [...(await first), ...(await t.say("Go on."))];
  expect(requests.map(offered)).toEqual([["mcp__test__echo"], ["mcp__test__echo"]]);
  await t.client.drained(t.sessionId);
  const said = JSON.stringify(t.heard);
  expect(said.split("The MCP server slow is still starting").length - 1).toBe(1);
  expect(said).toContain("for later sessions: scorel mcp test slow");
});

it("a server whose folder is missing is reported with that folder, and not with its program", async () => {
  const servers = [server("none", [], { cwd: "/no/such/folder" }), server("file", [], { cwd: process.execPath })];
  await using t = await talk([text("Hello.")], { servers });
  await t.say("Go.");
  const rows = (await t.client.request("list_mcp_servers", { sessionId: t.sessionId })).servers;
  expect(rows.map(({ problem }) => problem)).toEqual([
    "there is no folder /no/such/folder",
    `there is no folder ${process.execPath}`,
  ]);
});

it("many servers start together without a warning of Node.js", async () => {
  const servers = Array.from({ length: 12 }, (_, at) => server(`s${at}`, ["--only=echo"]));
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on("warning", note);
  try {
    await using t = await talk([text("Hello.")], { servers });
    const [request] = await t.say("Go.");
    expect(request && offered(request)).toHaveLength(12);
  } finally {
    process.off("warning", note);
  }
  expect(warnings).toEqual([]);
});

it("a server that cannot be started is reported with its error output, and the session works without it", async () => {
  await using t = await talk([text("Hello.")], {
    servers: [
      server("test", ["--only=echo"]),
      server("bad", ["--dies"]),
      { name: "none", command: "/no/such/program" },
    ],
  });
  const [request] = await t.say("Go.");
  expect(request && offered(request)).toEqual(["mcp__test__echo"]);
  await t.client.drained(t.sessionId);
  const said = JSON.stringify(t.heard);
  expect(said).toContain(
    'The MCP server \\"bad\\" could not be started: exit code 4; it wrote: the licence is missing.',
  );
  expect(said).toContain('The MCP server \\"none\\" could not be started: there is no program /no/such/program.');
});

it("a tool with an invalid description is left out and reported, and the others are used", async () => {
  using home = testHome();
  const list = join(home.home, "list");
  const schema = { type: "object", properties: {} };
  writeFileSync(
    list,
    JSON.stringify([
      { name: "bare", inputSchema: null },
      { name: "good", inputSchema: schema },
      { inputSchema: schema },
    ]),
  );
  await using t = await talk([text("Hello.")], { home, servers: [server("test", [], { env: { LIST: list } })] });
  expect((await t.say("Go.")).map(offered)).toEqual([["mcp__test__good"]]);
  await t.client.drained(t.sessionId);
  expect(JSON.stringify(t.heard)).toContain(
    'Some tools of the MCP server \\"test\\" are left out: bare has no inputSchema (and 1 more).',
  );
});

it("a session without servers offers no tools of theirs, and a server that is off is not started", async () => {
  await using t = await talk([text("Hello.")], { servers: [server("test", [], { enabled: false })] });
  const [request] = await t.say("Go.");
  expect(request && offered(request)).toEqual([]);
  await using none = await talk([text("Hello.")], { servers: [] });
  const [plain] = await none.say("Go.");
  expect(plain?.body.tools).toBeUndefined();
});

it("a tool that a server has changed is reported, and a person is asked again, whatever the rules allow", async () => {
  using home = testHome();
  const options = { home, attending: true, permission: "ask" as const, rules: { allow: ["mcp__test__*"] } };
  const calls = [toolCall("mcp__test__echo", { text: "hi" }), text("Done.")];
  const described = join(home.home, "described.txt");
  writeFileSync(described, "Does");
  const servers = [server("test", ["--only=echo"], { env: { WORDS: described } })];
  await using first = await talk(calls, { ...options, servers });
  await first.say("Go.");
  expect(first.heard.some(({ type }) => type === "approval_request")).toBe(false);
  writeFileSync(described, "Now does");
  await using t = await talk([...calls, ...calls], { ...options, servers });
  const turn = t.say("Go.");
  const question = () => t.heard.find(({ type }) => type === "approval_request");
  await expect.poll(question).toBeDefined();
  expect(JSON.stringify(t.heard)).toContain('The MCP server \\"test\\" has changed the description of a tool');
  const { requestId, body } = question();
  const asked = JSON.stringify(body);
  expect(asked).toContain("Why you are asked: its description has changed since you allowed it");
  expect(asked).toMatch(/It said of itself:\\nDoes echo\..*It now says:\\nNow does echo\./);
  await t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer: "y" });
  await turn;
  await t.say("Go on.");
  expect(t.heard.filter(({ type }) => type === "approval_request")).toHaveLength(1);
});

it("a tool that a server changes while a person decides is not called, and the next call asks about the new words", async () => {
  using home = testHome();
  const described = join(home.home, "described.txt");
  writeFileSync(described, "Does");
  const calls = [toolCall("mcp__test__echo", { text: "hi" }), text("Done.")];
  await using t = await talk([...calls, ...calls], {
    ...{ home, attending: true, permission: "ask" },
    servers: [server("test", ["--only=echo"], { env: { WORDS: described } })],
  });
  const questions = () => t.heard.filter(({ type }) => type === "approval_request");
  const answer = (requestId: string) =>
    t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer: "y" });
  const first = t.say("Go.");
  await expect.poll(questions).toHaveLength(1);
  writeFileSync(described, "Sends your keys with");
  await t.client.request("restart_mcp_server", { sessionId: t.sessionId, name: "test" });
  await answer(questions()[0].requestId);
  expect(lastText((await first)[1] as never)).toContain("so the tool was not called");
  const second = t.say("Go on.");
  await expect.poll(questions).toHaveLength(2);
  const { requestId, body } = questions()[1];
  expect(JSON.stringify(body)).toContain("It now says:\\nSends your keys with echo.");
  await answer(requestId);
  expect(lastText((await second)[1] as never)).toBe("hi");
});

it("rules, settings and options may name tools of servers that have not started yet", async () => {
  await using t = await talk([text("Hello.")], {
    servers: [server("test", ["--only=echo,fail"])],
    rules: { allow: ["mcp__other__*", "mcp__test__echo"] },
    tools: { without: ["mcp__test__fail", "mcp__other__x", "ToolSearch", "ReadMcpResource"] },
  });
  const [request] = await t.say("Go.");
  expect(request && offered(request)).toEqual(["mcp__test__echo"]);
  await t.client.drained(t.sessionId);
  expect(JSON.stringify(t.heard)).not.toMatch(/matches no call|which no loaded plugin contributes/);
});
