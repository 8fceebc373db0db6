import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { fixture } from "../proxy.ts";
import { BIN, type Scratch, scratch } from "./scorel.ts";

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
    ["scorel completion ", ["bash", "fish", "values", "zsh"]],
  ])("offers words for %j", (line, offered) => {
    using s = scratch();
    s.file("shot.png", "");
    s.file("src/a.ts", "");
    expect(offers[shell](script, line, s)).toEqual(offered);
  });

  it("offers values that only the command knows: sessions, presets, models, and names that a shell must not run", async () => {
    using s = scratch();
    chmodSync(s.file("~/bin/scorel", `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`), 0o755);
    const server = await startModelServer([text("hello")]);
    s.useModel(server.baseUrl);
    s.file("~/.scorel/presets/odd$(touch ran).toml", 'extends = "coding"\n');
    const { stdout } = await s.run(["-p", "hi", "--output", "json"]);
    await server.close();
    const { sessionId } = JSON.parse(stdout) as { sessionId: string };
    const offered = (line: string) => offers[shell](script, line, s);
    expect({
      session: offered("scorel session show ").sort(),
      beginning: offered(`scorel -p hi --session ${sessionId.slice(0, 3)}`),
      resume: offered("scorel -r ").includes(sessionId),
      afterResume: offered("scorel -r --pla"),
      second: offered(`scorel session rename ${sessionId} `).some((each) => [sessionId, "latest"].includes(each)),
      presets: offered("scorel --preset c"),
      shown: offered("scorel preset show co"),
      models: offered("scorel --model "),
      unsafe: offered("scorel --preset od"),
      files: readdirSync(s.project),
    }).toEqual({
      session: [sessionId, "latest"].sort(),
      beginning: [sessionId],
      resume: true,
      afterResume: ["--plain"],
      second: false,
      presets: ["coding"],
      shown: ["coding"],
      models: ["scripted/scripted-model"],
      unsafe: ["odd$(touch ran)"],
      files: [],
    });
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
  const env = { PATH: `${s.home}/bin:${process.env.PATH}`, HOME: s.home, TERM: "dumb" };
  return sorted(execFileSync(shell, args, { input, cwd: s.project, env, encoding: "utf8" }));
}

/** Sorted completions without what shells add: descriptions, the slash after a folder, and backslashes before special characters. */
function sorted(lines: string): string[] {
  const words = lines.split("\n").map((line) => line.replace(/\t.*/, "").replace(/\/$/, "").replace(/\\(.)/g, "$1"));
  return [...new Set(words)].filter(Boolean).sort();
}
