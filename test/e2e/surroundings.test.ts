import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { type Part, startModelServer, text, toolCall } from "../model-server.ts";
import { type RunOptions, scratch } from "./scorel.ts";

/** Runs a turn with these calls; returns how it ended and the results that the model received. */
async function turnWith(calls: Part[], { onTestFinished }: TestContext, options: RunOptions = {}) {
  const s = scratch();
  onTestFinished(() => s[Symbol.dispose]());
  const server = await startModelServer([calls, text("done")]);
  onTestFinished(() => server.close());
  s.useModel(server.baseUrl);
  s.file("a.txt", "a word\n");
  execFileSync("mkfifo", ["pipe"], { cwd: s.project });
  const { code, stdout, stderr } = await s.run(["-p", "go"], options);
  const results: string[] = (server.requests[1]?.body.messages ?? [])
    .filter(({ role }: { role: string }) => role === "tool")
    .map(({ content }: { content: string }) => content);
  return { code, stdout, stderr, results };
}
const grep = (more: object = {}) => toolCall("Grep", { pattern: "word", ...more });

describe("a FIFO without a writer", () => {
  it("is not searched, whether it is named or found in a folder", async (test) => {
    const calls = [grep({ path: "pipe" }), grep(), toolCall("Glob", { pattern: "*", path: "pipe" })];
    const { code, results } = await turnWith(calls, test);
    const refused = expect.stringContaining("pipe is neither a file nor a folder");
    expect([code, results]).toEqual([0, [refused, "[1 match]\na.txt\n1:a word", refused]]);
  });
});

it.for(["HEAD", "config", "index"])("a FIFO in place of .git/%s is not waited for", async (name, test) => {
  const s = scratch();
  test.onTestFinished(() => s[Symbol.dispose]());
  const server = await startModelServer([toolCall("Read", { file_path: "a.txt" }), text("done")]);
  test.onTestFinished(() => server.close());
  s.useModel(server.baseUrl);
  s.file("a.txt", "a word\n");
  execFileSync("git", ["init", "--quiet"], { cwd: s.project });
  rmSync(join(s.project, ".git", name), { force: true });
  execFileSync("mkfifo", [join(s.project, ".git", name)]);
  expect(await s.run(["-p", "go"])).toMatchObject({ code: 0, stdout: "done\n" });
});

describe("a process with a low limit of open files", () => {
  it.for([26, 29, 33])("(%i) reports it in tool results, and goes on", async (files, test) => {
    const calls = [grep(), toolCall("Glob", { pattern: "*.txt" }), toolCall("Bash", { command: "echo said" })];
    const through = ["sh", "-c", `ulimit -n ${files}; exec "$@"`, "sh"];
    const { code, stdout, stderr, results } = await turnWith(calls, test, { through });
    expect([code, stdout, stderr], stderr).toEqual([0, "done\n", ""]);
    for (const result of results.filter((result) => !/^\[1 |^said/.test(result))) expect(result).toContain("EMFILE");
  });

  it("runs commands although it has inherited a file with a number above the limit", async (test) => {
    const through = ["bash", "-c", 'exec 200</dev/null; ulimit -n 100; exec "$@"', "bash"];
    const { code, results } = await turnWith([toolCall("Bash", { command: "echo said" })], test, { through });
    expect([code, results]).toEqual([0, [expect.stringMatching(/^said/)]]);
  });
});

it("an unusable TMPDIR is named in the denials that it causes", async (test) => {
  const calls = [grep(), toolCall("Bash", { command: "seq 1 100000" })];
  const { code, results } = await turnWith(calls, test, { env: { TMPDIR: "/no/such/folder" }, guarded: true });
  const named = expect.stringContaining("TMPDIR=/no/such/folder, cannot be used (ENOENT). Set TMPDIR to a folder");
  expect([code, results]).toEqual([0, [named, named]]);
});
