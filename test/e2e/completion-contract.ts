import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { fixture } from "../proxy.ts";
import { type Scratch, scratch } from "./scorel.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The completion script for a shell, as the built command prints it. */
export async function scriptFor(shell: Shell): Promise<string> {
  using s = scratch();
  return (await s.run(["completion", shell])).stdout;
}

/** Tests the completion script of a shell in the shell itself. */
export function completionContract(shell: Shell): void {
  let script = "";
  beforeAll(async () => {
    script = await scriptFor(shell);
  });

  it.each([
    ["scorel ses", ["session"]],
    ["scorel completion b", ["bash"]],
    ["scorel session v", ["verify"]],
    ["scorel --out", ["--output", "--output-schema"]],
    ["scorel -p hi --output ", ["events", "json", "text"]],
    ["scorel session list --output ", ["json", "text"]],
    ["scorel session list --a", ["--all", "--allow-write", "--archived"]],
    ["scorel --preset none session li", ["list"]],
    ["scorel --thinking m", ["medium", "minimal"]],
    ["scorel login --with ", ["key", "subscription"]],
    ["scorel --image sh", ["shot.png"]],
    ["scorel --cwd s", ["src"]],
    ["scorel --max-rounds ", []],
    ["scorel session show --verbo", ["--verbose"]],
  ])("offers words for %j", (line, offered) => {
    using s = scratch();
    s.file("shot.png", "");
    s.file("src/a.ts", "");
    expect(offers[shell](script, line, s)).toEqual(offered);
  });

  it("is a script that the shell can parse", () => {
    using s = scratch();
    const { status, stderr } = spawnSync(shell, ["-n", s.file("script", script)], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
}

/** The completions that a shell offers for TAB at the end of a line, in a folder with the test's files. */
const offers: Record<Shell, (script: string, line: string, s: Scratch) => string[]> = {
  bash(script, line, s) {
    const words = line.split(" ");
    const ask = `
      source <(cat)
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
      COMP_CWORD=${words.length - 1}
      _scorel scorel
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf("bash", ["--norc", "-c", ask], s, script);
  },
  zsh(script, line, s) {
    const out = s.file("~/offered", "");
    linesOf("zsh", ["-f", fixture("zsh-offers.zsh"), s.file("~/scorel.zsh", script), out, line], s);
    return sorted(readFileSync(out, "utf8"));
  },
  fish(script, line, s) {
    const ask = `source ${s.file("~/scorel.fish", script)}; complete -C '${line}'`;
    return linesOf("fish", ["--no-config", "-c", ask], s);
  },
};

function linesOf(shell: Shell, args: readonly string[], s: Scratch, input = ""): string[] {
  const env = { PATH: process.env.PATH, HOME: s.home, TERM: "dumb" };
  return sorted(execFileSync(shell, args, { input, cwd: s.project, env, encoding: "utf8" }));
}

/** Sorted completions without what shells add: descriptions, and the slash after a folder. */
function sorted(lines: string): string[] {
  const words = lines.split("\n").map((line) => line.replace(/\t.*/, "").replace(/\/$/, ""));
  return [...new Set(words)].filter(Boolean).sort();
}
