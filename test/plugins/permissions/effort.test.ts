import fs, { mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { parsePattern } from "../../../plugins/permissions/rules/pattern.ts";
import { type Post, post } from "./setup.ts";

const CALLS = ["lstatSync", "statSync", "readdirSync", "realpathSync", "readFileSync"] as const;
const real = Object.fromEntries(CALLS.map((name) => [name, fs[name]]));

afterEach(() => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
});

/** The number of file system calls while a command is judged. */
async function looksFor(guard: Post, command: string): Promise<number> {
  let count = 0;
  const counting = CALLS.map((name) => {
    const counted = (...args: unknown[]) => {
      count++;
      return (real[name] as (...given: unknown[]) => unknown)(...args);
    };
    return [name, Object.assign(counted, real[name])];
  });
  Object.assign(fs, Object.fromEntries(counting));
  syncBuiltinESMExports();
  await guard.bash(command);
  Object.assign(fs, real);
  syncBuiltinESMExports();
  return count;
}

it("checks each path once, however often a command names it", async () => {
  await using guard = await post({ deny: ["Read(secrets/**)", "Bash(git push *)"], allow: ["Bash(foo *)"] });
  for (let number = 0; number < 300; number++) guard.file(`f${number}`);
  const counts = [];
  for (const part of [" f1", " src/f1", " -xf1", " a=f1", " f*", " ; foo f1", " > f1", " < f1", " ; cd ."]) {
    const few = await looksFor(guard, `foo${part.repeat(2)}`);
    counts.push([part, (await looksFor(guard, `foo${part.repeat(2_000)}`)) <= few + 5]);
  }
  expect(counts).toEqual(counts.map(([part]) => [part, true]));
});

it("checks each of many paths only a few times", async () => {
  await using guard = await post({ deny: ["Read(secrets/**)"], allow: ["Bash(foo *)"] });
  const words = Array.from({ length: 4_000 }, (_, number) => number.toString(36));
  expect(await looksFor(guard, `foo ${words.join(" ")}`)).toBeLessThan(4 * words.length);
});

it("computes few pattern states for a long text", async () => {
  const rules = ["*x*y*z*w", "git *a*a*a*b", "*a*a*a*a*z"];
  await using guard = await post({ deny: rules.slice(0, 2).map((it) => `Bash(${it})`), allow: [`Bash(${rules[2]})`] });
  for (const command of ["git a", "sudo -a ", "$a ", "x y z ", "-x "]) await guard.bash(command.repeat(4_000));
  for (const rule of rules) {
    const { exact, loose } = parsePattern(rule);
    expect(exact.worked + loose.worked).toBeLessThan(1_000);
  }
});

it("compares names with a glob in one pass", async () => {
  await using guard = await post({ mode: "full", deny: ["Read(secrets/**)"] });
  const folder = join(guard.dir, "long");
  mkdirSync(folder);
  writeFileSync(join(folder, "a".repeat(200)), "");
  // A backtracking comparison would not finish.
  expect(await guard.bash(`cat long/${"*a".repeat(40)}b`)).toBe("runs");
});

it("finds keys near the top of a folder with more files than are looked at", async () => {
  await using guard = await post({ mode: "ask" });
  for (const name of ["a", "z"]) {
    const deep = join(guard.dir, name, "installed");
    mkdirSync(deep, { recursive: true });
    for (let number = 0; number < 5_500; number++) writeFileSync(join(deep, `f${number}`), "");
  }
  mkdirSync(join(guard.dir, "m"));
  writeFileSync(join(guard.dir, "m", "x.key"), "");
  expect(await guard.bash("grep -rn words .")).toMatch(/usually contains keys/);
});

it("finds keys beside links to more files than are looked at", async () => {
  await using guard = await post({ mode: "ask" });
  for (let number = 0; number < 450; number++) {
    const name = `.pnpm/p${number}/installed/package`;
    for (let file = 0; file < 12; file++) guard.file(`node_modules/${name}/f${file}`, "");
    guard.link(`node_modules/p${number}`, name);
  }
  guard.file("packages/app/config/.env", "API_KEY=abc\n");
  expect(await guard.bash("grep -r KEY .")).toMatch(/usually contains keys/);
});

it("asks about a link to more files than are looked at only if the program may follow it", async () => {
  await using guard = await post({ mode: "full", deny: ["Read(secrets/**)"] });
  for (let number = 0; number < 5_500; number++) guard.file(`../data/f${number}`, "");
  guard.link("data", "../data");
  guard.file("src/a");
  const judged = async (commands: readonly string[]) => {
    const found = await Promise.all(commands.map(async (command) => [command, await guard.bash(command)]));
    return Object.fromEntries(found.map(([command = "", outcome]) => [command, outcome?.split(":")[0]]));
  };
  const all = (commands: readonly string[], outcome: string) =>
    Object.fromEntries(commands.map((command) => [command, outcome]));
  const staying = [
    ...["grep -rn KEY .", "cp -r . /tmp/copy", "ls -lR", "find . -type f", "rg -l KEY", "fd a", "ag KEY", "tree -L 2"],
    ...["du -h", "git grep KEY"],
  ];
  expect(await judged(staying)).toEqual(all(staying, "runs"));
  const following = [
    ...["grep -nR KEY .", "grep --dereference-recursive KEY .", "cp -rL . /tmp/copy", "ls -RL", "find -L . -type f"],
    ...[
      "find . -exec cat {} +",
      "rg --follow KEY",
      "fd -L a",
      "ag -f KEY",
      "tree -l",
      "du -L",
      "eslint .",
      "diff -r . src",
    ],
    ...["grep -r $(echo -R) KEY .", "grep -r {-R,-n} KEY ."],
  ];
  expect(await judged(following)).toEqual(all(following, "Denied"));
});

it("finds keys behind a link, also beside more files than are looked at", async () => {
  await using guard = await post({ mode: "ask" });
  guard.file("../other/.env", "API_KEY=abc\n");
  guard.link("other", "../other");
  for (let number = 0; number < 5_500; number++) guard.file(`installed/f${number}`, "");
  expect(await guard.bash("grep -R KEY .")).toMatch(/contains keys/);
});

it("asks when a command names more files than the limit", async () => {
  await using guard = await post({ mode: "full" });
  const words = Array.from({ length: 10_500 }, (_, number) => number.toString(36));
  expect(await guard.bash(`cat ${words.slice(0, 3_000).join(" ")} tls/x.key`)).toMatch(/usually contains keys/);
  const moves = ["a", "b", "c", "d", "e"].map((name) => `cd ${name}`).join("; ");
  expect(await guard.bash(`${moves}; cat ${words.slice(0, 4_000).join(" ")} tls/x.key`)).toMatch(
    /names more words than can be checked/,
  );
});

it("looks for secrets in a file of variables in one pass", async () => {
  await using guard = await post({ mode: "ask" });
  // Searches that begin again at each blank line or letter would not finish.
  for (const part of ["\n", " ", "KEY", "export ", "://a:"]) {
    const path = guard.file(".env", part.repeat(Math.floor(260_000 / part.length)));
    expect(await guard.judge("Read", { file_path: path })).toBe("runs");
  }
});

it("looks for file names in a long script of sed in one pass", async () => {
  await using guard = await post({ mode: "full", deny: ["Read(secrets/**)"] });
  // Searches that begin again at each blank would not finish.
  expect(await guard.bash(`sed '${"r".repeat(64)}${" ".repeat(31_000)}x' src/a`)).toMatch(/^Denied|^runs/);
});
