import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hang, type Script, startModelServer, text, toolCall, usage } from "../model-server.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const subagent = readFileSync(fileURLToPath(new URL("../../docs/examples/subagent.ts", import.meta.url)), "utf8");
/** Tools that call another model; one of them runs until it is cancelled. */
const oracle = `
const usage = { input: 1000, output: 10, cost: { total: 2 }, model: "oracle/large" };
const tool = (name, execute) =>
  ({ name, description: name, parameters: { type: "object", properties: {} }, approval: "free", execute });
const content = [{ type: "text", text: "42" }];
export default {
  id: "oracle", name: "Oracle", version: "1.0.0",
  tools: () => [
    tool("Oracle", async () => ({ content, usage })),
    tool("Muse", (_id, _params, signal, onUpdate) => {
      onUpdate({ content, usage });
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }),
  ],
};
`;

/** Runs a prompt with a model that costs one dollar for a token of input; returns what is printed as JSON. */
async function run(s: Scratch, script: Script, ...options: string[]) {
  s.file("~/.scorel/extensions/oracle.ts", oracle);
  s.file("~/.scorel/extensions/subagent.ts", subagent);
  await using server = await startModelServer(script);
  s.useModel(server.baseUrl, "cost = { input = 1000000 }\n");
  const { code, stdout } = await s.run(["-p", "work", "--output", "json", ...options]);
  const { sessionId, cost, error } = JSON.parse(stdout);
  return { sessionId, told: { code, requests: server.requests.length, cost, error: error?.code } };
}
const dollars = (input: number) => usage({ input, output: 0 });

const tooMuch = { code: 3, error: "PRINT_MAX_COST" };

it("--max-cost counts what a tool has used before the next request", async () => {
  using s = scratch({ inProcess: true });
  const { told } = await run(s, [[toolCall("Oracle", {}), dollars(0)], text("done")], "--max-cost", "1.5");
  expect(told).toEqual({ ...tooMuch, requests: 1, cost: 2 });
});

it("--max-cost ends a tool that is still running", async () => {
  using s = scratch({ inProcess: true });
  const { told } = await run(s, [[toolCall("Muse", {}), dollars(0)]], "--max-cost", "1.5");
  expect(told).toEqual({ ...tooMuch, requests: 1, cost: 2 });
});

it("--max-cost ends a subagent that reaches it, and its cost counts once", async () => {
  using s = scratch({ inProcess: true });
  s.file("a.txt", "a");
  const { told } = await run(
    s,
    [
      [toolCall("Ask", { task: "Read a.txt" }), dollars(1)],
      [toolCall("Read", { file_path: "a.txt" }), dollars(1)],
      [toolCall("Read", { file_path: "a.txt" }), dollars(1)],
      // The subagent may have started another round before its parent is cancelled.
      hang(),
    ],
    ...["--max-cost", "2.5"],
  );
  expect(told).toEqual({ ...tooMuch, requests: expect.any(Number), cost: 3 });
  const { stdout } = await s.run(["usage", "--output", "json"]);
  expect(JSON.parse(stdout)).toMatchObject({ total: { cost: 3 } });
});

it("/cost counts what tools have used, in an imported session as well", async () => {
  using s = scratch({ inProcess: true });
  const { sessionId, told } = await run(s, [
    [toolCall("Oracle", {}), dollars(1)],
    [toolCall("Ask", { task: "Think" }), dollars(1)],
    [text("Thought."), dollars(1)],
    [text("done"), dollars(1)],
  ]);
  expect(told).toEqual({ code: 0, requests: 4, cost: 6, error: undefined });
  const cost = async (id: string) => (await s.run(["session", "run", id, "/cost"])).stdout;
  const expected = [
    "scripted/scripted-model: 3 requests, 3 tokens in, 0% from the cache, 0 out, $3.0000",
    "oracle/large: 1 request, 1,000 tokens in, 0% from the cache, 10 out, $2.0000",
    "Ask: 1 tokens in, 0% from the cache, 0 out, $1.0000",
    "all: $6.0000",
    "",
  ].join("\n");
  expect(await cost(sessionId)).toEqual(expected);
  const exported = (await s.run(["session", "export", sessionId, "--format", "jsonl"])).stdout;
  const file = s.file("talk.jsonl", exported);
  const { stdout } = await s.run(["session", "import", file, "--output", "json"]);
  const copy = JSON.parse(stdout).sessionId as string;
  expect(await cost(copy)).toEqual(expected);
  const resultsIn = (id: string) =>
    records(s.logs().find((log) => log.includes(id)) as string).flatMap(({ message }) => {
      const { role, usage } = (message ?? {}) as { role?: string; usage?: object };
      return role === "tool_result" ? [usage] : [];
    });
  expect(resultsIn(copy)).toEqual(resultsIn(sessionId));
  // The cost is in the subagent's own log, and that of the copy was paid by the original.
  expect(JSON.parse((await s.run(["usage", "--output", "json"])).stdout)).toMatchObject({ total: { cost: 6 } });
});
