import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { fixture } from "../proxy.ts";
import { type Scratch, scratch } from "./scorel.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];
const present = shells.filter((shell) => spawnSync(shell, ["-c", "true"]).status === 0);
const missing = shells.filter((shell) => !present.includes(shell));
const scripts: Record<string, string> = {};
beforeAll(async () => {
  using s = scratch();
  for (const shell of shells) scripts[shell] = (await s.run(["completion", shell])).stdout;
});

/** What a shell offers when TAB is pressed at the end of a line, in a folder with these files. */
const offers: Record<Shell, (line: string, s: Scratch) => string[]> = {
  bash(line, s) {
    const words = line.split(" ");
    const ask = `
      source <(cat)
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
      COMP_CWORD=${words.length - 1}
      _scorel scorel
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf("bash", ["--norc", "-c", ask], s, scripts.bash);
  },
  zsh(line, s) {
    const out = s.file("~/offered", "");
    linesOf("zsh", ["-f", fixture("zsh-offers.zsh"), s.file("~/scorel.zsh", scripts.zsh ?? ""), out, line], s);
    return sorted(readFileSync(out, "utf8"));
  },
  fish(line, s) {
    const ask = `source ${s.file("~/scorel.fish", scripts.fish ?? "")}; complete -C '${line}'`;
    return linesOf("fish", ["--no-config", "-c", ask], s);
  },
};

function linesOf(shell: Shell, args: readonly string[], s: Scratch, input = ""): string[] {
  const env = { PATH: process.env.PATH, HOME: s.home, TERM: "dumb" };
  return sorted(execFileSync(shell, args, { input, cwd: s.project, env, encoding: "utf8" }));
}

/** Words without what shells add to them: a description, and the slash of a folder. */
function sorted(lines: string): string[] {
  const words = lines.split("\n").map((line) => line.replace(/\t.*/, "").replace(/\/$/, ""));
  return [...new Set(words)].filter(Boolean).sort();
}

// A shell that is not here is told, not left out without a word.
for (const shell of missing) console.warn(`${shell} is not installed: its completions are not run.`);

describe.each(present)("%s completes", (shell) => {
  it.each([
    ["scorel ses", ["session"]],
    ["scorel completion b", ["bash"]],
    ["scorel session v", ["verify"]],
    ["scorel --out", ["--output", "--output-schema"]],
    ["scorel -p hi --output ", ["events", "json", "text"]],
    ["scorel session list --output ", ["json", "text"]],
    ["scorel session list --a", ["--all", "--allow-write"]],
    ["scorel --preset none session li", ["list"]],
    ["scorel --thinking m", ["medium", "minimal"]],
    ["scorel login --with ", ["key", "subscription"]],
    ["scorel --image sh", ["shot.png"]],
    ["scorel --cwd s", ["src"]],
    ["scorel --max-rounds ", []],
    ["scorel session show --verbo", ["--verbose"]],
  ])("%j", (line, offered) => {
    using s = scratch();
    s.file("shot.png", "");
    s.file("src/a.ts", "");
    expect(offers[shell](line, s)).toEqual(offered);
  });

  it("from a script that it can read", () => {
    using s = scratch();
    const { status, stderr } = spawnSync(shell, ["-n", s.file("script", scripts[shell] ?? "")], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

it.each(shells)("the script for %s names every command and option of the help", async (shell) => {
  using s = scratch();
  const { stdout: help } = await s.run(["--help"]);
  const nouns = [...help.matchAll(/^ {2}(\w+) \w.*$/gm)].map(([, noun]) => noun as string);
  const options = [...help.matchAll(/^ {2}.*?--([\w-]+)/gm)].map(([, name]) => name as string);
  expect(nouns).toContain("session");
  expect(options).toContain("output-schema");
  const missing = [...nouns, ...options].filter((word) => !new RegExp(`\\b${word}\\b`).test(scripts[shell] ?? ""));
  expect(missing).toEqual([]);
});

it("another shell is refused by name", async () => {
  using s = scratch();
  const { code, stderr } = await s.run(["completion", "bosh"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Did you mean "bash"?') });
});
