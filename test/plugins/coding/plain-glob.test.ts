import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainGlob } from "../../../plugins/coding/search/plain-glob.ts";
import { fc } from "../../property.ts";

const WORDS = ["a", "b", "ab", "a.b", "ba.a", "aab", ".a", "é", "a\nb", "a b", "b-a"];
const NAMES = WORDS.flatMap((one) => [one, ...WORDS.flatMap((two) => [`${one}_/${two}`, `${one}_/${two}_/a/${one}`])]);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "scorel-glob-"));
  for (const name of NAMES) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), "");
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function ripgrep(glob: string): string[] {
  const args = ["--no-config", "--files", "--null", "--hidden", `--glob=${glob}`, "./"];
  const output = (() => {
    try {
      return execFileSync(rgPath, args, { cwd: folder, encoding: "utf8" });
    } catch {
      return "";
    }
  })();
  return output
    .split("\0")
    .slice(0, -1)
    .map((name) => name.slice(2))
    .sort();
}

describe("a plain glob", () => {
  const word = fc.constantFrom("a", "b", ".", "_", "*", "é", "-", "{a,b}", "{*.,ab,é}", "ab");
  const part = fc.oneof(
    { weight: 1, arbitrary: fc.constant("**") },
    { weight: 3, arbitrary: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join("")) },
  );
  const glob = fc
    .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 5 }))
    .map(([isRooted, parts]) => (isRooted ? "/" : "") + parts.join("/"));

  it("matches the same names as ripgrep", () => {
    fc.assert(
      fc.property(glob, (glob) => {
        const matches = plainGlob(glob);
        if (matches) expect([glob, NAMES.filter(matches).sort()]).toEqual([glob, ripgrep(glob)]);
      }),
      { numRuns: 150, verbose: 1 },
    );
  });

  it.each([
    "!a",
    "a/",
    "a//b",
    "[ab]",
    "a?",
    "a\\*",
    "a**",
    "{a",
    "{a,{b,c}}",
    "{a/b,c}",
    "#a",
    "a b",
    "./a",
    "../a",
    "",
  ])("is not %j, which is left to ripgrep", (glob) => expect(plainGlob(glob)).toBeUndefined());

  it("does not backtrack exponentially", () => {
    const matches = plainGlob(`${"*a".repeat(30)}*b/${"**/a*/".repeat(10)}c`);
    expect(matches?.(`${"a".repeat(250)}/${"aa/".repeat(1_000)}b`)).toBe(false);
  });
});
