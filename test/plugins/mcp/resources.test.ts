import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import local from "@scorel/local";
import mentions from "@scorel/mentions";
import { expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { testHome } from "../host/home.ts";
import { lastText, offered, server, talk } from "./setup.ts";

const servers = [server("test", ["--only=echo", "--extras"])];
const more = [local, mentions];

it("resources are listed and read by tools, which only servers with some bring", async () => {
  const script = [
    toolCall("ListMcpResources", { server: "test" }),
    toolCall("ReadMcpResource", { server: "test", uri: "note://today" }),
    toolCall("ReadMcpResource", { server: "test", uri: "note://none" }),
    toolCall("ListMcpResources", { server: "none" }),
    text("Done."),
  ];
  await using t = await talk(script, { servers });
  const requests = await t.say("Go.");
  expect(offered(requests[0] as never)).toEqual(["ListMcpResources", "ReadMcpResource", "mcp__test__echo"]);
  expect(requests.slice(1).map(lastText)).toEqual([
    "note://today  Today; text/plain; What to do.\npic://pixel  Pixel; image/png\nnote://{day}  A day\nnote://{day}/{hour}  An hour",
    "Resource note://today:\nBuy milk. @echo",
    expect.stringContaining("could not do read note://none: no resource note://none"),
    expect.stringContaining('There is no MCP server "none"'),
  ]);
  await using without = await talk([text("Hello.")], { servers: [server("test", ["--only=echo"])] });
  expect((await without.say("Go.")).map(offered)).toEqual([["mcp__test__echo"]]);
});

it("text after @ finds the resources that servers list, and not their patterns", async () => {
  await using t = await talk([text("Hello.")], { servers, more });
  await t.say("Go.");
  const found = async (query: string, limit = 20) =>
    (await t.client.request("find_files", { sessionId: t.sessionId, query, limit })).files.map(
      ({ path, kind }) => `${kind} ${path}`,
    );
  writeFileSync(join(t.home.cwd, "today-pixel.txt"), "");
  expect(await found("test:")).toEqual(["other test:note://today", "other test:pic://pixel"]);
  expect(await found("TEST:pic")).toEqual(["other test:pic://pixel"]);
  expect(await found("pixel")).toEqual(["file today-pixel.txt", "other test:pic://pixel"]);
  expect(await found("pixel", 1)).toEqual(["file today-pixel.txt"]);
  expect(await found("")).toEqual(["file today-pixel.txt"]);
});

it("a person is asked before a resource is read, and a rule can allow some", async () => {
  const read = (uri: string) => toolCall("ReadMcpResource", { server: "test", uri });
  const options = { servers, permission: "ask" as const, rules: { allow: ["ReadMcpResource(test:note://*)"] } };
  await using t = await talk([read("note://today"), read("pic://pixel"), text("Done.")], options);
  const [, note, picture] = await t.say("Go.");
  expect(lastText(note as never)).toContain("Buy milk.");
  expect(lastText(picture as never)).toContain("Denied");
});

it("a message attaches the resources that it names, and says which it could not", async () => {
  await using t = await talk([text("Hello.")], { servers, more, model: { input: ["text", "image"] } });
  const [request] = await t.say(
    "Do @test:note://today, @test:pic://pixel and @test:note://none, not @other:note://today.",
  );
  const texts = request?.body.messages.at(-1).content.map((part: any) => part.text ?? part.type);
  expect(texts.slice(1)).toEqual([
    "Attached: test:note://today\n```\nResource note://today:\nBuy milk. @echo\n```",
    "image_url",
    expect.stringContaining("Not attached: test:note://none: "),
  ]);
  await t.client.drained(t.sessionId);
  const sent = t.heard.find(({ type, message }) => type === "message" && message.role === "user");
  expect(sent.message.meta.mentions.map(({ path, kind }: any) => [path, kind])).toEqual([
    ["test:note://today", "file"],
    ["test:pic://pixel", "file"],
    ["test:note://none", undefined],
  ]);
});

it("prompts are commands with arguments, and their text does not count as the person's words", async () => {
  await using t = await talk([text("Hello."), text("Hello.")], { servers, more });
  await t.say("Go.");
  writeFileSync(join(t.home.cwd, "secret.txt"), "password");
  const { sessionId } = t;
  const { commands } = await t.client.request("list_commands", { sessionId });
  expect(commands.filter(({ group }) => group === "MCP prompts")).toMatchObject([
    { name: "mcp__test__review", description: "Review code.", usage: "/mcp__test__review <code> [style]" },
  ]);
  const run = (args: string) => t.client.request("run_command", { sessionId, name: "mcp__test__review", args });
  const { turn } = await run("cart.js terse");
  await t.client.request("wait_turn", { sessionId, id: turn as string });
  const said = JSON.stringify(t.model.requests.at(-1)?.body.messages.at(-1).content);
  expect(said).toContain("of the MCP server test, which I have chosen");
  expect(said).toContain("Review cart.js in terse style, see @secret.txt.");
  expect(said).toContain("You have answered:");
  expect(said).not.toContain("password");
  await expect(run("")).rejects.toThrow(/code/);
});

it("a prompt whose command is cancelled is cancelled at the server, and its text is not sent later", async () => {
  using home = testHome();
  const called = join(home.home, "called");
  const slow = [server("test", ["--extras"], { env: { CALLED: called } })];
  const script = [text("Hello."), toolCall("mcp__test__cancelled", {}), text("Done.")];
  await using t = await talk(script, { home, servers: slow, more });
  await t.say("Go.");
  const { sessionId } = t;
  const answered = t.client.request("run_command", { sessionId, name: "mcp__test__review", args: "never" });
  answered.catch(() => {});
  await expect.poll(() => existsSync(called)).toBe(true);
  await t.client.request("cancel_commands", { sessionId });
  await expect(answered).rejects.toMatchObject({ code: "COMMAND_CANCELLED" });
  const requests = await t.say("Go on.");
  expect([requests.length, lastText(requests[1] as never)]).toEqual([2, "1"]);
});
