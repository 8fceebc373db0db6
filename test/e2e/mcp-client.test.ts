import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type RecordedRequest, startModelServer, text, toolCall } from "../model-server.ts";
import { type Scratch, scratch } from "./scorel.ts";

const example = fileURLToPath(new URL("../../docs/examples/mcp-client", import.meta.url));
const server = fileURLToPath(new URL("../fixtures/mcp-server.mjs", import.meta.url));

function install(s: Scratch, baseUrl: string, command = [process.execPath, server], more = ""): void {
  cpSync(example, join(s.home, ".scorel/extensions/mcp-client"), { recursive: true });
  s.useModel(baseUrl, `[mcp-client]\ncommand = ${JSON.stringify(command)}\nprefix = "sums"\n${more}`);
}

function offered({ body }: RecordedRequest): string[] {
  const tools = body.tools as { function: { name: string } }[];
  return tools.map((tool) => tool.function.name).filter((name) => name.startsWith("sums_"));
}

it("the example mcp-client offers the tools of a server while they are there", async () => {
  using s = scratch({ inProcess: true });
  await using model = await startModelServer([
    toolCall("sums_add", { a: 2, b: 3 }),
    toolCall("sums_add", { a: "two" }),
    toolCall("sums_grow", {}),
    toolCall("sums_die", {}),
    text("Done."),
  ]);
  install(s, model.baseUrl);
  const { code, stdout, stderr } = await s.run(["chat", "--yes"], { input: "go\n" });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(model.requests.map(offered)).toEqual([
    ["sums_add", "sums_grow"],
    ["sums_add", "sums_grow"],
    ["sums_add", "sums_grow"],
    ["sums_add", "sums_die", "sums_grow"],
    [],
  ]);
  const results = model.requests.slice(1).map(({ body }) => body.messages.at(-1).content as string);
  expect(results).toEqual([
    "5",
    expect.stringContaining("Validation failed"),
    "There is more now.",
    "the MCP server has ended (exit code 3)",
  ]);
  expect(stdout).toContain("The MCP server has ended (exit code 3). Its tools are gone until /reload.");
});

it("a person is asked about a call of the example mcp-client, and rules name its arguments", async () => {
  using s = scratch({ inProcess: true });
  const calls = () => [[toolCall("sums_add", { a: 2, b: 3 })], text("Done.")] as const;
  await using model = await startModelServer([...calls(), ...calls()]);
  install(s, model.baseUrl);
  await s.run(["-p", "go"], { guarded: true });
  expect(model.requests[1]?.body.messages.at(-1).content).toMatch(/^Denied: .*nobody is there to ask/);

  install(s, model.baseUrl, undefined, `[permissions]\nallow = ['sums_add({"a":2*)']\n`);
  await s.run(["-p", "go"], { guarded: true });
  expect(model.requests[3]?.body.messages.at(-1).content).toBe("5");
});

it("a server that cannot be started is a failure of the example mcp-client, and the session works without it", async () => {
  using s = scratch({ inProcess: true });
  await using model = await startModelServer([text("Hello.")]);
  install(s, model.baseUrl, [join(s.home, "missing")]);
  const { code, stdout, stderr } = await s.run(["-p", "hi"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello.\n" });
  expect(stderr).toContain("the MCP server has ended");
});
