import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  delayUntil,
  gate,
  hang,
  type RecordedRequest,
  type Reply,
  startModelServer,
  text,
  toolCall,
  usage,
} from "../model-server.ts";
import { modelTable, type Scratch, scratch } from "./scorel.ts";

const task = (description: string) => toolCall("Task", { description, prompt: description });
const dollars = (input: number) => usage({ input, output: 0 });
const isChild = ({ body }: RecordedRequest, prompt: string) => JSON.stringify(body.messages).includes(`"${prompt}"`);

/** Runs a prompt whose model delegates a task; each conversation gets its replies in order, from functions when they are due. */
async function run(s: Scratch, own: Reply[], child: (Reply | (() => Reply))[], ...options: string[]) {
  await using server = await startModelServer((request) => {
    const replies = isChild(request, "Read a.txt") && !isChild(request, "work") ? child : own;
    const next = replies.shift() ?? text("nothing left");
    return typeof next === "function" ? next() : next;
  });
  const model = `${modelTable(server.baseUrl)}cost = { input = 1000000 }\n`;
  s.file("~/.scorel/config.toml", `use = ["subagents"]\n${model}`);
  const guarded = options.includes("--permission");
  const { code, stdout, stderr } = await s.run(["-p", "work", "--output", "json", ...options], { guarded });
  const { sessionId, cost, error, text: said } = JSON.parse(stdout);
  return { sessionId, stderr, requests: server.requests, told: { code, cost, error: error?.code, said } };
}

it("--max-cost counts a subagent while it works, and ends both", async () => {
  using s = scratch({ inProcess: true });
  s.file("a.txt", "a");
  const read = toolCall("Read", { file_path: "a.txt" });
  const { told } = await run(
    s,
    [[task("Read a.txt"), dollars(1)]],
    [[read, dollars(1)], [read, dollars(1)], hang()],
    ...["--max-cost", "2.5"],
  );
  expect(told).toMatchObject({ code: 3, cost: 3, error: "PRINT_MAX_COST" });
});

it("a run delegates a task; lists include the subagent only on request, and usage counts it once", async () => {
  using s = scratch({ inProcess: true });
  const { sessionId, told } = await run(
    s,
    [
      [task("Read a.txt"), dollars(1)],
      [text("All done."), dollars(1)],
    ],
    [[text("It says a."), dollars(2)]],
  );
  expect(told).toEqual({ code: 0, cost: 4, error: undefined, said: "All done." });
  const listed = async (...options: string[]): Promise<any[]> =>
    JSON.parse((await s.run(["session", "list", "--json", ...options])).stdout);
  expect((await listed()).map((row) => row.sessionId)).toEqual([sessionId]);
  const [child] = (await listed("--children")).filter((row) => row.sessionId !== sessionId);
  expect(child).toMatchObject({ kind: "subagent", name: "Read a.txt", parent: { sessionId } });
  expect((await s.run(["session", "show", child.sessionId])).stdout).toContain("It says a.");
  const { stdout: rows } = await s.run(["session", "list", "--children"]);
  expect(rows).toContain(`Read a.txt  (subagent of ${sessionId})\n`);
  const used = JSON.parse((await s.run(["usage", "--output", "json"])).stdout);
  expect(used.total).toMatchObject({ cost: 4 });
});

const behind = (name: string) => toolCall("Task", { description: name, prompt: "Read a.txt", background: true });

it("-p waits for subagents in the background, and its answer is what the model makes of their reports", async () => {
  using s = scratch({ inProcess: true });
  const { sessionId, told } = await run(
    s,
    [
      [behind("One"), dollars(1)],
      [text("I wait."), dollars(1)],
      [text("Now I know."), dollars(1)],
    ],
    [[text("It says a."), dollars(2)]],
  );
  expect(told).toEqual({ code: 0, cost: 5, error: undefined, said: "Now I know." });
  const { stdout } = await s.run(["-p", "/cost", "--session", sessionId]);
  expect(stdout.split("\n")).toEqual([
    expect.stringMatching(/: 3 requests, .*\$3\.0000$/),
    expect.stringMatching(/^Task: .* tokens in, .*\$2\.0000$/),
    "all: $5.0000",
    "",
  ]);
  const used = JSON.parse((await s.run(["usage", "--output", "json"])).stdout);
  expect(used.total).toMatchObject({ cost: 5 });
});

it("without a person, a refused call of a subagent is reported like one of the run, with how to allow it", async () => {
  using s = scratch({ inProcess: true });
  const { requests, stderr } = await run(
    s,
    [[task("Read a.txt")], [text("All done.")]],
    [[toolCall("Bash", { command: "touch made" })], [text("I may not.")]],
    ...["--permission", "ask"],
  );
  expect(stderr).toContain("Not allowed in this run:\n  touch made\n");
  expect(stderr).toContain('allow = ["Bash(touch made)"]');
  expect(requests.some((request) => request.text.includes("nobody is there to ask"))).toBe(true);
});

it("a limit of -p also ends the wait for a subagent in the background", async () => {
  using s = scratch({ inProcess: true });
  const { told } = await run(
    s,
    [
      [behind("One"), dollars(1)],
      [text("I wait."), dollars(1)],
    ],
    [[toolCall("Read", { file_path: "a.txt" }), dollars(2)], hang()],
    ...["--max-cost", "3.5"],
  );
  expect(told).toMatchObject({ code: 3, error: "PRINT_MAX_COST" });
});

it("a limit of -p that was reached before the wait for a subagent ends the wait, too", async () => {
  using s = scratch({ inProcess: true });
  const subagentGoesOn = gate();
  const { told } = await run(
    s,
    [
      [behind("One"), dollars(1)],
      [delayUntil(subagentGoesOn.promise), text("I wait."), dollars(1)],
    ],
    [
      [toolCall("Read", { file_path: "a.txt" }), dollars(2)],
      () => {
        subagentGoesOn.open();
        return hang();
      },
    ],
    ...["--max-cost", "3.5"],
  );
  expect(told).toMatchObject({ code: 3, error: "PRINT_MAX_COST" });
});

it("-p does not wait for a subagent whose report it may not answer any more", async () => {
  using s = scratch({ inProcess: true });
  const { told } = await run(s, [behind("One"), text("I wait.")], [hang()], ...["--max-rounds", "2"]);
  expect(told).toMatchObject({ code: 3, error: "PRINT_MAX_ROUNDS" });
});

it("a key that a subagent finds reaches no log, and not the parent's model", async () => {
  using s = scratch();
  const key = "canary-7f3a9c1e5b";
  await using server = await startModelServer((request) => {
    if (!isChild(request, "work")) return text(`It is ${key}.`, 4);
    return request.body.messages.at(-1).role === "tool" ? text("Done.") : task("Find it");
  });
  const model = `${modelTable(server.baseUrl)}apiKeyEnv = "SCRIPTED_KEY"\n`;
  s.file("~/.scorel/config.toml", `use = ["subagents"]\n${model}`);
  const { code, stdout } = await s.run(["-p", "work", "--output", "events"], { env: { SCRIPTED_KEY: key } });
  const logs = s.logs().map((path) => readFileSync(path, "utf8"));
  expect([code, logs.length]).toEqual([0, 2]);
  expect([stdout, ...logs, ...server.requests.map((request) => request.text)].join("\n")).not.toContain(key);
});

it("definitions of a project are read once it is trusted, and not after one has changed", async () => {
  using s = scratch({ inProcess: true });
  const agent = (name: string) =>
    `---\nname: ${name}\ndescription: The ${name} of this project\n---\nYou are the ${name}.\n`;
  s.file(".scorel/agents/tester.md", agent("tester"));
  s.file(".claude/agents/explore.md", agent("explore"));
  const described = async () => {
    const { requests } = await run(s, [[text("Done."), dollars(1)]], []);
    return JSON.stringify(requests.map(({ body }) => body));
  };
  const theirs = ["The tester of this project", "The explore of this project"];
  const before = await described();
  expect(theirs.filter((text) => before.includes(text))).toEqual([]);
  const reviewed = (await s.run(["trust", "add", "--yes"])).stdout;
  expect(reviewed).toContain("adds agents, which the model may give work to if the plugin subagents is used:\n");
  expect(reviewed).toContain("  tester  (.scorel/agents/tester.md)\n");
  const trusted = await described();
  expect(theirs.filter((text) => trusted.includes(text))).toEqual(theirs);
  s.file(".claude/agents/more.md", agent("more"));
  const changed = await described();
  expect([...theirs, "The more of"].filter((text) => changed.includes(text))).toEqual([]);
});

it("without the plugin, a request has no tool Task", async () => {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer([text("Hello.")]);
  s.useModel(server.baseUrl);
  await s.run(["-p", "work"]);
  const [first] = server.requests as [RecordedRequest];
  expect(first.body.tools.map((each: any) => each.function?.name ?? each.name)).not.toContain("Task");
});
