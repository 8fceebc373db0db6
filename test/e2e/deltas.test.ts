import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type ApiName, startModelServer, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

/** Counts the characters of arguments that are parsed as JSON, and writes the count to a file. */
const counter = `
const { writeFileSync } = require("node:fs");
const parse = JSON.parse;
let parsed = 0;
JSON.parse = (text, ...more) => {
  if (String(text).startsWith('{"file_path"')) parsed += text.length;
  return parse(text, ...more);
};
process.on("exit", () => writeFileSync(__filename + ".count", String(parsed)));
`;

it.each<ApiName>(["openai-completions", "openai-responses", "anthropic-messages"])(
  "long arguments that arrive in small pieces over %s are parsed a few times, not for each piece",
  async (api) => {
    using s = scratch();
    const content = "a line of twenty-five ch\n".repeat(1_600);
    const write = toolCall("Write", { file_path: "long.txt", content }, { pieces: 20 });
    await using server = await startModelServer([write, text("done")]);
    const model = { type: "custom", api, provider: "local", id: "m1", baseUrl: server.baseUrlFor(api) };
    const lines = Object.entries(model).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    s.file("~/.scorel/config.toml", ["[model]", ...lines, "contextWindow = 100000", "maxTokens = 30000"].join("\n"));
    const file = s.file("counter.cjs", counter);
    const run = await s.run(["-p", "write", "--output", "events"], { env: { NODE_OPTIONS: `--require=${file}` } });
    expect(run.code, run.stderr).toBe(0);
    const deltas = run.stdout.split('"type":"tool_call_delta"').length - 1;
    expect(deltas).toBeGreaterThan(2_000);
    expect(readFileSync(join(s.project, "long.txt"), "utf8")).toBe(content);
    expect(Number(readFileSync(`${file}.count`, "utf8"))).toBeLessThan(12 * content.length);
  },
);
