import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type RecordedRequest, startModelServer, text, toolCall } from "../model-server.ts";
import { editor } from "./acp-editor.ts";
import { scratch } from "./scorel.ts";

const program = fileURLToPath(new URL("../fixtures/mcp-tools.mjs", import.meta.url));
const SECRET = "canary-of-the-editor";
const server = (name: string) => ({
  name,
  command: process.execPath,
  args: [program, "--only=environment,echo"],
  env: [{ name: "EDITOR_KEY", value: SECRET }],
});
const offered = ({ body }: RecordedRequest) =>
  (body.tools as { function: { name: string } }[])
    .map((tool) => tool.function.name)
    .filter((name) => name.startsWith("mcp__"));

function filesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

it("the editor's MCP servers are those of the session, and what they get is not stored", async () => {
  using s = scratch();
  await using model = await startModelServer([
    toolCall("mcp__from-the-editor__environment", {}),
    text("Done."),
    text("Without."),
    text("Loaded."),
  ]);
  s.useModel(model.baseUrl);
  await using e = await editor(s);
  expect(e.introduced.agentCapabilities?.mcpCapabilities).toEqual({ http: true });
  const sessionId = await e.open(s.project, [
    server("from the editor"),
    { type: "sse", name: "old", url: "http://127.0.0.1:9/", headers: [] },
  ]);
  expect(await e.prompt(sessionId, "go")).toEqual({ stopReason: "end_turn" });
  expect(e.asked.map(({ toolCall: { title } }) => title)).toEqual(["mcp__from-the-editor__environment"]);
  expect(offered(model.requests[0] as RecordedRequest)).toEqual([
    "mcp__from-the-editor__echo",
    "mcp__from-the-editor__environment",
  ]);
  const result = model.requests[1]?.body.messages.at(-1).content;
  expect(result).toContain('"EDITOR_KEY":"[redacted]"');
  expect(filesBelow(s.home) + filesBelow(s.project)).not.toContain(SECRET);

  const other = await e.open();
  await e.prompt(other, "go");
  expect(offered(model.requests[2] as RecordedRequest)).toEqual([]);

  await e.agent.request("session/close", { sessionId });
  await e.agent.request("session/load", { sessionId, cwd: s.project, mcpServers: [server("again")] });
  await e.prompt(sessionId, "go on");
  expect(offered(model.requests[3] as RecordedRequest)).toEqual(["mcp__again__echo", "mcp__again__environment"]);
  const { stderr } = await e.leave();
  expect(stderr).toContain("The editor's MCP servers are not used: old.");
  expect(stderr).not.toContain(SECRET);
});

it("a session of a preset without MCP servers says that the editor's are not used", async () => {
  using s = scratch();
  await using model = await startModelServer([text("Done.")]);
  s.useModel(model.baseUrl);
  await using e = await editor(s, { args: ["--preset", "none"] });
  const sessionId = await e.open(s.project, [server("tools")]);
  expect(await e.prompt(sessionId, "go")).toEqual({ stopReason: "end_turn" });
  expect((await e.leave()).stderr).toContain("not used: tools. The session's preset is without the plugin mcp.");
});
