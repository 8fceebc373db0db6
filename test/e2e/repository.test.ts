import { execFileSync } from "node:child_process";
import { cpSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { records, scratch } from "./scorel.ts";

/** The unpacked sources of a large package that is installed anyway: about two thousand files. */
function largePackage(): string {
  const modelLibrary = realpathSync(fileURLToPath(new URL("../node_modules/@mariozechner/pi-ai", import.meta.url)));
  return dirname(createRequire(join(modelLibrary, "package.json")).resolve("openai"));
}

/** Writes the context to a file whenever a session opens or a turn ends. */
const witness = `
import { appendFileSync } from "node:fs";
import { homedir } from "node:os";
export default {
  id: "witness", name: "Witness", version: "1.0.0",
  onEvent(event, ctx) {
    if (event.type !== "session_start" && event.type !== "runtime_end") return;
    appendFileSync(homedir() + "/contexts.jsonl", JSON.stringify({ at: event.type, context: ctx.session.buildContext() }) + "\\n");
  },
};
`;
const failingTest = `
import { test } from "node:test";
import assert from "node:assert";
import { readFileSync } from "node:fs";
test("A message that announces the version.", () => assert.match(readFileSync("ANNOUNCED", "utf8"), /^ready$/m));
`;
/** The parts of a request that must be the same in every process. */
const stable = (body: { messages: unknown[]; tools: unknown }) => ({ messages: body.messages, tools: body.tools });

it("searches, reads, edits and tests in a large repository, and a second process resumes with the same context", async () => {
  using s = scratch();
  cpSync(largePackage(), s.project, { recursive: true, dereference: true });
  s.file("ANNOUNCED", "not yet\n");
  s.file("announce.test.mjs", failingTest);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: s.project });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "all");
  s.file("~/.scorel/extensions/witness.ts", witness);
  await using server = await startModelServer([
    [toolCall("Grep", { pattern: "^not yet$", output_mode: "content" }), toolCall("Glob", { pattern: "*.test.mjs" })],
    toolCall("Read", { file_path: "ANNOUNCED" }),
    [
      toolCall("Edit", { file_path: "ANNOUNCED", old_string: "not yet", new_string: "ready" }),
      toolCall("Bash", { command: "node --test announce.test.mjs" }),
    ],
    text("It is announced, and the test passes."),
    text("You asked me to announce it."),
  ]);
  s.useModel(server.baseUrl);

  const first = await s.run(["--preset", "coding", "-p", "Make the test pass.", "--output", "json"]);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(first.stdout)).toMatchObject({ text: "It is announced, and the test passes.", stopReason: "stop" });
  expect(git("diff", "--unified=0").toString()).toMatch(/^-not yet\n\+ready$/m);
  const messages: { role: string; content: string }[] = server.requests[3]?.body.messages ?? [];
  const results = messages.filter(({ role }) => role === "tool");
  expect(results.map(({ content }) => content)).toEqual([
    expect.stringMatching(/ANNOUNCED/),
    expect.stringMatching(/announce\.test\.mjs/),
    expect.stringMatching(/1.*not yet/),
    expect.not.stringMatching(/error/i),
    expect.stringMatching(/# pass 1/),
  ]);

  const second = await s.run(["--preset", "coding", "-p", "What did I ask?", "--continue"]);
  expect(second).toMatchObject({ code: 0, stdout: "You asked me to announce it.\n" });
  const contexts = records(join(s.home, "contexts.jsonl"));
  expect(contexts.map(({ at }) => at)).toEqual(["session_start", "runtime_end", "session_start", "runtime_end"]);
  expect(JSON.stringify(contexts[2]?.context)).toBe(JSON.stringify(contexts[1]?.context));

  const [last, resumed] = [server.requests[3]?.body, server.requests[4]?.body].map(stable) as [
    ReturnType<typeof stable>,
    ReturnType<typeof stable>,
  ];
  expect(resumed.tools).toEqual(last.tools);
  expect(resumed.messages.slice(0, last.messages.length)).toEqual(last.messages);
  expect(resumed.messages.slice(last.messages.length)).toMatchObject([
    { role: "assistant" },
    { role: "user", content: expect.anything() },
  ]);
  expect(s.logs()).toHaveLength(1);
});
