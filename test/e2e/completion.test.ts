import { execFileSync, spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { type Scratch, scratch } from "./scorel.ts";

const shells = ["bash", "zsh", "fish"] as const;
const installed = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;
const scripts: Record<string, string> = {};
beforeAll(async () => {
  using s = scratch();
  for (const shell of shells) scripts[shell] = (await s.run(["completion", shell])).stdout;
});

/** What bash offers when TAB is pressed at the end of a line, in a folder with these files. */
function bashOffers(line: string, s: Scratch): string[] {
  const words = line.split(" ");
  const ask = `
    source <(cat)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
    COMP_CWORD=${words.length - 1}
    _scorel scorel
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["--norc", "-c", ask], { input: scripts.bash, cwd: s.project, encoding: "utf8" });
  return out.split("\n").filter(Boolean).sort();
}

describe("bash completes", () => {
  it.each([
    ["scorel se", ["session"]],
    ["scorel completion b", ["bash"]],
    ["scorel session v", ["verify"]],
    ["scorel --out", ["--output", "--output-schema"]],
    ["scorel -p hi --output ", ["events", "json", "text"]],
    ["scorel session list --output ", ["json", "text"]],
    ["scorel session list --a", ["--all", "--allow-write"]],
    ["scorel --preset none session li", ["list"]],
    ["scorel --thinking m", ["medium", "minimal"]],
    ["scorel --image sh", ["shot.png"]],
    ["scorel --cwd s", ["src"]],
    ["scorel --max-rounds ", []],
    ["scorel session show --verbo", ["--verbose"]],
  ])("%j", (line, offered) => {
    using s = scratch();
    s.file("shot.png", "");
    s.file("src/a.ts", "");
    expect(bashOffers(line, s)).toEqual(offered);
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

for (const shell of shells.filter(installed))
  it(`${shell} can read its script`, () => {
    expect(spawnSync(shell, ["-n"], { input: scripts[shell], encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

it("another shell is refused by name", async () => {
  using s = scratch();
  const { code, stderr } = await s.run(["completion", "bosh"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Did you mean "bash"?') });
});
