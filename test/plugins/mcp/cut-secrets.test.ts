import { expect, it, onTestFinished } from "vitest";
import { serverLog } from "../../../plugins/mcp/servers/log.ts";
import { Server } from "../../../plugins/mcp/servers/server.ts";
import { shownChange } from "../../../plugins/mcp/servers/words.ts";
import { resultOf } from "../../../plugins/mcp/tools/result.ts";
import { text } from "../../model-server.ts";
import { testHome } from "../host/home.ts";
import { talk } from "./setup.ts";

const SECRET = "far-live-1234567890abcdef";
const redact = (given: string) => given.replaceAll(SECRET, "[redacted]");
/** A text with the secret across this character, which has `before` characters of filling. */
const across = (at: number) => `${"x".repeat(at - 12)}${SECRET}${"y".repeat(100)}`;

it("a result for the model is cut after secrets are removed from it", () => {
  const { content } = resultOf({ content: [{ type: "text", text: across(50_000) }] }, redact);
  expect(content[0]).toEqual({ type: "text", text: `${"x".repeat(49_988)}[redacted]yy` });
});

it("a message of a server's log is cut after secrets are removed from it", () => {
  const told: string[] = [];
  const report = (_: string, thrown: unknown) => void told.push((thrown as Error).message);
  serverLog({ report }, "test", redact)("error", across(500));
  expect(told).toEqual([`The MCP server "test" reports an error: ${"x".repeat(488)}[redacted]yy.`]);
});

it("the reason of a failed call is cut after secrets are removed from it", async () => {
  using _home = testHome();
  const connection = {
    version: "1",
    list: async () => ({ tools: [], isCut: false, prompts: [], hasResources: false }),
    close: async () => {},
  };
  const way = { command: "run", args: [], env: {}, cwd: "/" };
  const definition = { name: "test", place: "test", ofProject: false, enabled: true, timeoutMs: 1_000, way };
  const server = new Server(definition, {
    open: async () => ({ connection: connection as never, redact }),
    ...{ after: () => () => {}, now: () => 0, changed: () => {}, tell: () => {} },
  });
  const failing = server.use("work", new AbortController().signal, async () => {
    throw new Error(across(2_000));
  });
  await expect(failing).rejects.toThrow(`${"x".repeat(1_988)}[redacted]yy`);
});

it("a changed description is shown in part after secrets are removed from it", () => {
  const shown = shownChange({ was: undefined, now: across(700) }, redact);
  expect(shown).toContain(`${"x".repeat(688)}[redacted]yy…`);
});

it.each([
  ["cut at its end", `error ${"x".repeat(482)}${SECRET}`],
  ["longer than what is kept of it", `error ${SECRET}${"y".repeat(7_990)}`],
])("the standard error of a program that cannot be used shows no part of a secret: %s", async (_, said) => {
  process.env.FAR_KEY = SECRET;
  onTestFinished(() => void delete process.env.FAR_KEY);
  const program = `process.stderr.write(${JSON.stringify(said)}, () => process.exit(3))`;
  await using t = await talk([text("Hello.")], {
    servers: [{ name: "bad", command: process.execPath, args: ["-e", program], env: { KEY: "$" + "{FAR_KEY}" } }],
  });
  await t.say("Go.");
  await t.client.drained(t.sessionId);
  const told = t.heard.map((event) => JSON.stringify(event)).filter((text) => text.includes("could not be started"));
  expect(told.join()).toContain("could not be started: exit code 3");
  expect(told.join()).not.toMatch(/far-|live|1234567890|abcdef/);
});
