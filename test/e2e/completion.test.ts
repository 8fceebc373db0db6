import { describe, expect, it } from "vitest";
import { completionContract, scriptFor, shells } from "./completion-contract.ts";
import { scratch } from "./scorel.ts";

describe("completion in bash", () => completionContract("bash"));

it.each(shells)("the script for %s names every command and option of the help", async (shell) => {
  using s = scratch();
  const script = await scriptFor(shell);
  const { stdout: help } = await s.run(["--help"]);
  const nouns = [...help.matchAll(/^ {2}(\w+) \w.*$/gm)].map(([, noun]) => noun as string);
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
