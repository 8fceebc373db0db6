import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ownPath } from "../../../plugins/kit/process/programs.ts";
import { text, toolCall } from "../../model-server.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { lastText, offered, server, talk } from "./setup.ts";

/** Calls a tool once and returns the request with its result. */
async function result(tool: string, args: object = {}, options: Parameters<typeof talk>[1] = {}) {
  await using t = await talk([toolCall(`mcp__test__${tool}`, args), text("Done.")], options);
  const requests = await t.say("Go.");
  return requests[1] as NonNullable<(typeof requests)[1]>;
}

it("the tools of a server are offered in the first request, sorted and under names that providers accept", async () => {
  await using t = await talk([text("Hello.")], {
    servers: [server("test", ["--only=echo,fail,bad name/with spaces"])],
  });
  const [request] = await t.say("Go.");
  expect(request && offered(request)).toEqual([
    "mcp__test__bad_name_with_spaces",
    "mcp__test__echo",
    "mcp__test__fail",
  ]);
  const echo = request?.body.tools[1].function;
  expect(echo).toMatchObject({
    description: "Does echo.",
    parameters: { type: "object", required: ["text"], properties: { text: { description: "Pattern: ^(a+)+$" } } },
  });
});

it("a call reaches the server and its result the model", async () => {
  expect(lastText(await result("echo", { text: "hi" }))).toBe("hi");
  expect(lastText(await result("bad_name_with_spaces"))).toBe("named");
});

it("arguments are checked before the server gets them", async () => {
  expect(lastText(await result("echo", { text: 7 }))).toContain("Validation failed");
});

it("structured content without a text becomes JSON", async () => {
  expect(lastText(await result("structured"))).toBe('{"total":7}');
});

it("an image has the type of its content, whatever the server calls it", async () => {
  const { body } = await result("image", {}, { model: { input: ["text", "image"] } });
  expect(JSON.stringify(body.messages)).toContain("data:image/png;base64,iVBORw0KGgo");
});

it("an error result and a refusal are reported plainly", async () => {
  expect(lastText(await result("fail"))).toBe("There is no such city.");
  expect(lastText(await result("refuse"))).toBe('The MCP server "test" could not do refuse: refused by the server');
});

it("a server gets PATH and HOME and what its table gives it, but no keys and nothing else", async () => {
  process.env.ANTHROPIC_API_KEY = "sk-ant-secret-secret";
  process.env.SOME_PRIVATE_TOKEN = "private-value";
  try {
    const servers = [server("test", [], { env: { GREETING: "$" + "{SOME_PRIVATE_TOKEN}!" } })];
    const environment = JSON.parse(lastText(await result("environment", {}, { servers })).replace("[redacted]", "x"));
    expect(environment).toMatchObject({ PATH: ownPath(process.env.PATH, process.cwd()) });
    expect(Object.keys(environment)).not.toContain("ANTHROPIC_API_KEY");
    expect(Object.keys(environment)).not.toContain("SOME_PRIVATE_TOKEN");
    expect(environment.GREETING).toBe("x!");
  } finally {
    delete process.env.ANTHROPIC_API_KEY;
    delete process.env.SOME_PRIVATE_TOKEN;
  }
});

it("a server starts in the session's folder and may ask for the project's root", async () => {
  await using t = await talk([toolCall("mcp__test__folder", {}), toolCall("mcp__test__roots", {}), text("Done.")]);
  const requests = await t.say("Go.");
  expect(requests.slice(1).map(lastText)).toEqual([t.home.cwd, JSON.stringify([{ uri: `file://${t.home.cwd}` }])]);
});

it("progress is shown while a call runs", async () => {
  await using t = await talk([toolCall("mcp__test__steps", {}), text("Done.")]);
  await t.begin("Go.");
  const shown = () => t.heard.find(({ type }) => type === "tool_execution_update")?.partial.content[0].text;
  await expect.poll(shown).toBe("step 1 (1 of 3)");
  await t.client.request("cancel", { sessionId: t.sessionId });
});

it("a cancelled turn cancels the call in the server", async () => {
  const called = join(temporaryFolder("scorel-mcp-"), "called");
  await using t = await talk([toolCall("mcp__test__never", {}), toolCall("mcp__test__cancelled", {}), text("Done.")], {
    servers: [server("test", [], { env: { CALLED: called } })],
  });
  await t.begin("Go.");
  await expect.poll(() => existsSync(called)).toBe(true);
  await t.client.request("cancel", { sessionId: t.sessionId });
  const requests = await t.say("How many?");
  expect(lastText(requests[1] as never)).toBe("1");
});

it("a call that takes too long ends with an error that says what to set", async () => {
  const servers = [server("test", [], { timeout: 0.2 })];
  expect(lastText(await result("never", {}, { servers }))).toMatch(
    /did not answer never for 0.2 s, so the call was cancelled.*"timeout" of the server/,
  );
});

it("a person is asked about each call, unless a rule allows it", async () => {
  const denied = await result("echo", { text: "hi" }, { permission: "ask" });
  expect(lastText(denied)).toMatch(/^Denied: /);
  const allowed = await result("echo", { text: "hi" }, { permission: "ask", rules: { allow: ["mcp__test__*"] } });
  expect(lastText(allowed)).toBe("hi");
});

it("a rule that denies a server's tools holds in every mode", async () => {
  expect(lastText(await result("echo", { text: "hi" }, { rules: { deny: ["mcp__test__*"] } }))).toContain(
    "mcp__test__*",
  );
});

it("only the tools that the configuration chooses are offered", async () => {
  await using t = await talk([text("Hello.")], { servers: [server("test", [], { tools: ["e*o", "fail"] })] });
  const [request] = await t.say("Go.");
  expect(request && offered(request)).toEqual(["mcp__test__echo", "mcp__test__fail"]);
});
