import type { Workspace } from "@scorel/workspace/contract";
import { describe, expect, it } from "vitest";
import { coveredBy } from "../../../plugins/permissions/files/paths.ts";
import { parseRule } from "../../../plugins/permissions/rules/rule.ts";
import { isForPaths, isForText } from "../../../plugins/permissions/verdict.ts";

const workspace = { root: "/project", cwd: "/project", home: "/home/ann" } as Workspace;
const ruled = (text: string) => parseRule(text) ?? expect.unreachable(text);
const allows = (text: string, ...paths: string[]) => isForPaths(ruled(text), paths, false, workspace);
const forbids = (text: string, ...paths: string[]) => isForPaths(ruled(text), paths, true, workspace);

const LONG = `/project/src/${"a".repeat(1_000)}`;

describe("a rule about paths", () => {
  it("without a pattern is about every call", () => {
    expect([allows("Edit"), forbids("Edit"), allows("Edit", "/etc/x"), forbids("Edit", "/etc/x")]).toEqual(
      Array(4).fill(true),
    );
  });

  it("allows a call only if all of its paths match, and forbids one of which any does", () => {
    const [src, etc] = ["/project/src/a.ts", "/etc/x"];
    expect([allows("Edit(src/**)", src), allows("Edit(src/**)", src, etc), allows("Edit(src/**)", etc)]).toEqual([
      ...[true, false, false],
    ]);
    expect([forbids("Edit(src/**)", src), forbids("Edit(src/**)", src, etc), forbids("Edit(src/**)", etc)]).toEqual([
      ...[true, true, false],
    ]);
  });

  it("does not allow a call whose paths are not known, and forbids it", () => {
    expect([allows("Edit(src/**)"), forbids("Edit(src/**)")]).toEqual([false, true]);
  });

  it("treats a path that is too long to be compared as one that may not be used", () => {
    expect([allows("Edit(src/**)", LONG), forbids("Edit(src/**)", LONG), forbids("Edit(doc/**)", LONG)]).toEqual([
      ...[false, true, true],
    ]);
    const longest = LONG.slice(0, 1_000);
    expect([allows("Edit(src/**)", longest), forbids("Edit(doc/**)", longest)]).toEqual([true, false]);
  });

  it("with blanks around its pattern allows only files of that name, and forbids those without them, too", () => {
    const blank = { ...ruled("Edit(key)"), pattern: " key " };
    const is = (path: string, loose: boolean) => isForPaths(blank, [path], loose, workspace);
    expect([is("/project/ key ", false), is("/project/key", false)]).toEqual([true, false]);
    expect([is("/project/ key ", true), is("/project/key", true), is("/project/key2", true)]).toEqual([
      ...[true, true, false],
    ]);
  });

  it("is about paths with line breaks, too", () => {
    const paths = ["\n", "\r", "\u2028", "\u2029"].map((end) => `/project/secrets/in${end}side/key`);
    const rules = ["Read(secrets/**)", "Read(**/key)", "Read(**side**)"];
    expect(rules.map((rule) => [allows(rule, ...paths), paths.every((path) => forbids(rule, path))])).toEqual(
      rules.map(() => [true, true]),
    );
    const covered = coveredBy("secrets", workspace);
    expect(paths.map(covered)).toEqual(paths.map(() => true));
  });

  it("is relative to the project, absolute, or below the home folder", () => {
    expect(allows("Edit(~/notes/*)", "/home/ann/notes/a")).toBe(true);
    expect(allows("Edit(~/notes/*)", "/home/ann/notes/in/a")).toBe(false);
    expect(allows("Edit(/etc/**)", "/etc", "/etc/in/x")).toBe(true);
    expect(allows("Edit(a.ts)", "/project/a.ts")).toBe(true);
    expect(allows("Edit(a.ts)", "/a.ts")).toBe(false);
  });
});

describe("a rule about a text", () => {
  const is = (pattern: string, text: string, loose: boolean) =>
    isForText({ ...ruled("WebFetch"), pattern }, text, loose);

  it("allows its own text, whatever characters it has", () => {
    const texts = ["note 🎉", "a*\\b", "ΦΑΚΕΛΟΣ", "é".normalize("NFD")];
    expect(texts.map((text) => is(text.replace(/[\\*]/g, "\\$&"), text, false))).toEqual(texts.map(() => true));
    expect(is("note *", "note 🎉🎉", false)).toBe(true);
  });

  it("forbids a text whose letters have another case, in any alphabet", () => {
    const pairs = [
      ["ΦΑΚΕΛΟΣ", "φακελος"],
      ["ΦΑΚΕΛΟΣ", "φακελοσ"],
      ["Φάκελος *", "ΦΆΚΕΛΟΣ x"],
      ["STRASSE", "straße"],
      ["🎉 Key", "🎉 KEY"],
    ] as const;
    expect(pairs.filter(([rule, text]) => !is(rule, text, true) || is(rule, text, false))).toEqual([]);
  });
});
