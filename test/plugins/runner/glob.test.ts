import { describe, expect, it } from "vitest";
import { readGlob } from "../../../plugins/runner/workspace/glob.ts";

const matches = (glob: string, name: string) => readGlob(glob).some((pattern) => pattern.matches(name));

describe("a glob", () => {
  it.each([
    ["out/*.txt", "out/a.txt", "out/.txt", "out/two\nlines.txt"],
    ["out/**", "out/a", "out/b/c/.d"],
    ["**/*.md", "a.md", "a/b.md"],
    ["out/**/x/**/y", "out/x/y", "out/a/x/b/c/y"],
    ["out/a?c", "out/abc", "out/a😀c"],
    ["out/[a-c][!x]*", "out/by", "out/cyz"],
    ["out/[]a]", "out/]", "out/a"],
    ["{out,work/in}/*.{csv,json}", "out/a.csv", "work/in/b.json"],
    ["out/{a,b{1,2}}", "out/a", "out/b1", "out/b2"],
    ["out/\\*\\{a,b}", "out/*{a,b}"],
    ["out/{a}[", "out/{a}["],
    ["out/a**b", "out/ab", "out/axxb"],
  ])("%j matches %j and such", (glob, ...names) => {
    for (const name of names) expect([name, matches(glob, name)]).toEqual([name, true]);
  });

  it.each([
    ["out/*", "out/a/b"],
    ["out/*.txt", "out/a.txt.gz"],
    ["out/a?c", "out/ac"],
    ["out/[!a]", "out/a"],
    ["out/[a-c]", "out/d"],
    ["**/x", "a/xx"],
    ["out/**/x", "work/x"],
    ["out/{a,b}", "out/c"],
    ["out/!(a)", "out/b"],
    ["", "a"],
  ])("%j does not match %j", (glob, name) => expect(matches(glob, name)).toBe(false));

  it("exposes its literal start, and whether it is fully literal", () => {
    const read = (glob: string) => readGlob(glob).map(({ base, literal }) => [base, literal]);
    expect(read("out/deep/*.txt")).toEqual([["out/deep", undefined]]);
    expect(read("out/\\*")).toEqual([["out/*", "out/*"]]);
    expect(read("{out,work}/a")).toEqual([
      ["out/a", "out/a"],
      ["work/a", "work/a"],
    ]);
  });

  it("matches in linear time, whatever the glob and the name contain", () => {
    const began = performance.now();
    const name = `out/${"a/".repeat(100)}${"a".repeat(250)}`;
    for (const glob of [
      `out/**/${"*a".repeat(100)}*b`,
      `${"**/a/".repeat(100)}b`,
      "{a,b}".repeat(1_000),
      "{".repeat(5_000),
    ])
      expect(matches(glob, name)).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
