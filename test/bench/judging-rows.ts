/**
 * The cost of the guard: processor time to judge a command of 32,000 characters, the longest that is parsed, in a
 * folder of 500 files.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge } from "../../plugins/permissions/judge.ts";
import type { Case } from "../../plugins/permissions/verdict.ts";

/** Characters of a command. Each run adds a space, so that nothing cached by an earlier run is used. */
const LENGTH = 31_900;
const RUNS = 5;

const repeated = (first: string, part: string) => first + part.repeat((LENGTH - first.length) / part.length);
function counted(first: string, part: (number: number) => string): string {
  let text = first;
  for (let number = 0; text.length < LENGTH - 20; number++) text += part(number);
  return text;
}

const COMMANDS: readonly { what: string; command: string; was: string }[] = [
  { what: "16,000 commands", command: repeated("", "a;"), was: "1,840 ms" },
  { what: "10,000 words", command: repeated("echo", " ab"), was: "1,112 ms" },
  { what: "7,000 different words", command: counted("cp", (number) => ` ${number.toString(36)}`), was: "1,185 ms" },
  { what: "5,000 options", command: counted("foo", (number) => ` -${number.toString(36)}`), was: "758 ms" },
  { what: "10,000 globs", command: repeated("foo", " a*"), was: "5,152 ms" },
  { what: "6,000 redirections", command: repeated("foo", " > ab"), was: "449 ms" },
];

const folder = realpathSync(mkdtempSync(join(tmpdir(), "scorel-judging-")));
try {
  for (const name of ["project", "home", "temp"]) mkdirSync(join(folder, name));
  const cwd = join(folder, "project");
  for (let number = 0; number < 500; number++) writeFileSync(join(cwd, `${number.toString(36)}.txt`), "");
  const rows = [];
  for (const { what, command, was } of COMMANDS)
    rows.push({
      work: `judging 32,000 characters: ${what}, CPU`,
      value: await processorTime(command, cwd),
      limit: 350,
      was,
    });
  console.log(JSON.stringify(rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The shortest processor time of several runs, in milliseconds. */
async function processorTime(command: string, cwd: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const call = caseOf(`${command}${" ".repeat(run)}`, cwd);
    const before = process.cpuUsage();
    await judge(call);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return Math.min(...times);
}

function caseOf(command: string, cwd: string): Case {
  const rule = (pattern: string) => ({ tool: "Bash", pattern, text: `Bash(${pattern})` });
  return {
    tool: "Bash",
    args: { command },
    access: "exclusive",
    mode: "ask",
    rules: {
      allow: [rule("npm *"), rule("*a*b*c")],
      ask: [rule("git commit *")],
      deny: [rule("git push *"), rule("rm -rf *"), rule("*x*y*z*w")],
    },
    workspace: { cwd, root: cwd, home: join(cwd, "../home"), temp: join(cwd, "../temp"), allowWrite: [] },
    readable: { patterns: [], folders: [] },
  } as Case;
}
