import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { type Part, type RecordedRequest, startModelServer, text, toolCall } from "../model-server.ts";
import { isAlive } from "../processes.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const examples = fileURLToPath(new URL("../../docs/examples", import.meta.url));

/**
 * Installs the example `elsewhere`, with this computer in the role of the other one; returns the folder in which tools
 * work there.
 */
function moveElsewhere(s: Scratch): string {
  const there = join(s.home, "there");
  mkdirSync(there);
  cpSync(join(examples, "elsewhere"), join(s.home, ".scorel/extensions/elsewhere"), { recursive: true });
  return there;
}

function settings(s: Scratch, there: string): string {
  const command = [process.execPath, join(s.home, ".scorel/extensions/elsewhere/agent.mjs")];
  return `[elsewhere]\ncommand = ${JSON.stringify(command)}\nfolder = ${JSON.stringify(there)}\n`;
}

/** Runs the calls one by one; returns their results and how the command ended. */
async function work(s: Scratch, there: string, calls: readonly Part[], mode?: string) {
  await using server = await startModelServer([...calls, text("Done.")]);
  s.file("~/.scorel/config.toml", "");
  s.useModel(server.baseUrl, settings(s, there));
  const config = readFileSync(join(s.home, ".scorel/config.toml"), "utf8");
  s.file("~/.scorel/config.toml", `without = ["local"]\n${config}`);
  const ended =
    mode === undefined
      ? await s.run(["-p", "Go."])
      : await s.run(["--permission", mode, "-p", "Go."], { guarded: true });
  return { ...ended, results: server.requests.slice(1).map(lastResult) };
}

function lastResult({ body }: RecordedRequest): string {
  return body.messages.at(-1).content as string;
}

it("all file tools and Bash work on the executor's computer, and nothing changes here", async () => {
  using s = scratch();
  const there = moveElsewhere(s);
  mkdirSync(join(there, "ignored"));
  writeFileSync(join(there, ".gitignore"), "ignored/\n");
  writeFileSync(join(there, "ignored/a.ts"), "plum\n");
  s.file("here.ts", "plum\n");
  const { code, stdout, stderr, results } = await work(s, there, [
    toolCall("Write", { file_path: "src/a.ts", content: "one\nplum\n" }),
    toolCall("Edit", { file_path: "src/a.ts", old_string: "one", new_string: "two" }),
    toolCall("Read", { file_path: "src/a.ts" }),
    toolCall("Bash", { command: "pwd; cat src/a.ts" }),
    toolCall("Glob", { pattern: "**/*.ts" }),
    toolCall("Grep", { pattern: "pl.m" }),
    toolCall("Grep", { pattern: "pl.m", path: "src/a.ts", mode: "count" }),
  ]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
  expect(results).toEqual([
    "Created src/a.ts: 2 lines, 9 bytes.",
    "Edited src/a.ts: 1 replacement, line 1.",
    "[lines 1-2 of 2]\n1\ttwo\n2\tplum",
    `${there}\ntwo\nplum\n[exit code 0]`,
    "[1 file]\nsrc/a.ts",
    "[1 match]\nsrc/a.ts\n2:plum",
    "[1 file]\nsrc/a.ts:1",
  ]);
  expect(readdirSync(s.project)).toEqual(["here.ts"]);
});

it("restoring files does not change files of this computer because of calls on another one, and says what is not restored", async () => {
  using s = scratch();
  const there = moveElsewhere(s);
  const here = s.file("here.ts", "plum\n");
  writeFileSync(join(there, "here.ts"), "pear\n");
  // Here, somebody changes files while the command runs.
  const meanwhile = `echo changed > here.ts; echo changed > ${here}; echo mine > ${join(s.project, "mine.ts")}`;
  await work(s, there, [
    toolCall("Write", { file_path: "here.ts", content: "fig\n" }),
    toolCall("Bash", { command: meanwhile }),
  ]);
  const [log = ""] = s.logs();
  const id = String(records(log)[0]?.sessionId);
  const first = String(records(log).find(({ type }) => type === "message")?.id);
  const rewound = await s.run(["session", "rewind", id, first, "--files", "--yes", "--overwrite"]);
  expect(rewound).toMatchObject({ code: 1 });
  const said = rewound.stdout + rewound.stderr;
  expect(said).toContain(`not covered: ${here}: it is not on this computer\n`);
  expect(said).toContain("not covered: all files: commands run on another computer\n");
  expect([readFileSync(here, "utf8"), readdirSync(s.project)]).toEqual(["changed\n", ["here.ts", "mine.ts"]]);
  expect(readFileSync(join(there, "here.ts"), "utf8")).toBe("changed\n");
});

it("guards judge a path by where it leads according to the executor", async () => {
  using s = scratch();
  const there = moveElsewhere(s);
  mkdirSync(join(there, "../outside"));
  writeFileSync(join(there, "../outside/secret"), "hidden");
  symlinkSync("../outside", join(there, "link"));
  // On this computer the same path is a folder of the project.
  s.file("link/secret", "harmless");
  mkdirSync(join(there, ".git"));
  const { results } = await work(
    s,
    there,
    [
      toolCall("Read", { file_path: "link/secret" }),
      toolCall("Write", { file_path: "link/new", content: "x" }),
      toolCall("Bash", { command: "cat link/secret" }),
      toolCall("Write", { file_path: ".git/config", content: "x" }),
    ],
    "edits",
  );
  const outside = join(s.home, "outside");
  expect(results.map((result) => result.split(/[.,] /)[0])).toEqual([
    `Denied: ${outside}/secret is outside of the project`,
    `${outside}/new is outside of the project ${s.project}`,
    "Denied: `cat link/secret` needs approval",
    ".git/config controls the agent or git",
  ]);
  expect(readdirSync(join(there, "../outside"))).toEqual(["secret"]);
});

it("a connection that ends during a call is an error of that call; the next call connects again", async () => {
  using s = scratch();
  const there = moveElsewhere(s);
  writeFileSync(join(there, "a.txt"), "still here\n");
  const { code, stdout, results } = await work(s, there, [
    toolCall("Bash", { command: "kill -KILL $PPID; sleep 5" }),
    toolCall("Read", { file_path: "a.txt" }),
  ]);
  expect([code, stdout]).toEqual([0, "Done.\n"]);
  expect(results).toEqual([
    expect.stringContaining("the connection to where the tools work has ended (SIGKILL); the next call connects again"),
    "[lines 1-1 of 1]\n1\tstill here",
  ]);
});

it("an interrupt ends a command where it runs", async () => {
  using s = scratch();
  const there = moveElsewhere(s);
  await using server = await startModelServer([toolCall("Bash", { command: "echo $$ > pid; exec sleep 600" })]);
  s.useModel(server.baseUrl, settings(s, there));
  const config = readFileSync(join(s.home, ".scorel/config.toml"), "utf8");
  s.file("~/.scorel/config.toml", `without = ["local"]\n${config}`);
  const running = s.start(["-p", "Go."]);
  const file = join(there, "pid");
  await eventually(() => expect(existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+\n$/));
  const pid = Number(readFileSync(file, "utf8"));
  process.kill(running.pid, "SIGINT");
  expect((await running.finished).code).toBe(130);
  await eventually(() => expect(isAlive(pid)).toBe(false));
});

it("a session does not open when its executor is broken", async () => {
  using s = scratch();
  const there = moveElsewhere(s);
  s.file("~/.scorel/extensions/elsewhere/index.ts", "export default 1;\n");
  const { code, stderr, results } = await work(s, there, [toolCall("Bash", { command: "touch here" })]);
  expect([code, results]).toEqual([2, []]);
  expect(stderr).toContain(
    '"coding" (presets/coding.toml:3) needs the service "files", which no loaded plugin provides',
  );
});
