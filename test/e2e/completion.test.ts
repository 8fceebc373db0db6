import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { completionContract, scriptFor, shells } from "./completion-contract.ts";
import { scratch } from "./scorel.ts";

describe("completion in bash", () => completionContract("bash"));

it.each([
  ["the whole value", ["scorel", "--model", "ol"], ["ollama/qwen3:14b", "ollama/qwen3:8b"]],
  ["what follows the colon, since bash keeps the rest", ["scorel", "--model", "ollama/qwen3", ":", "8"], ["8b"]],
  ["what follows a colon at the end", ["scorel", "--model", "ollama/qwen3", ":"], ["14b", "8b"]],
  ["words after such a value", ["scorel", "--model", "ollama/qwen3", ":", "8b", "sess"], ["session"]],
])("bash divides words at colons, and is offered %s", async (_, words, offered) => {
  using s = scratch();
  const values = "ollama/qwen3:8b\\nollama/qwen3:14b\\n";
  chmodSync(s.file("~/bin/scorel", `#!/bin/sh\nprintf '${values}'\n`), 0o755);
  const ask = `
    source <(cat)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
    COMP_CWORD=${words.length - 1}
    _scorel scorel
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: `${s.home}/bin:${process.env.PATH}`, HOME: s.home };
  const script = await scriptFor("bash");
  const said = execFileSync("bash", ["--norc", "-c", ask], { input: script, env, encoding: "utf8" });
  expect(said.split("\n").filter(Boolean).sort()).toEqual(offered);
});

it.each(shells)("the script for %s names every command and option of the help", async (shell) => {
  using s = scratch();
  const script = await scriptFor(shell);
  const { stdout: help } = await s.run(["help", "--all"]);
  const nouns = [...help.matchAll(/^ {2}(\w+) .*$/gm)].map(([, noun]) => noun as string);
  const options = [...help.matchAll(/^ {2}.*?--([\w-]+)/gm)].map(([, name]) => name as string);
  expect(nouns).toContain("session");
  expect(options).toContain("output-schema");
  const missing = [...nouns, ...options].filter((word) => !new RegExp(`\\b${word}\\b`).test(script));
  expect(missing).toEqual([]);
});

it("refuses an unknown shell by name", async () => {
  using s = scratch();
  const { code, stderr } = await s.run(["completion", "bosh"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Did you mean "bash"?') });
});
