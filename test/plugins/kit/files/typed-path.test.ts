import { expect, it } from "vitest";
import { typedPath } from "../../../../plugins/kit/files/typed-path.ts";

it.each([
  ["a.txt", "/work/a.txt"],
  ["../b", "/b"],
  ["/etc/hosts", "/etc/hosts"],
  ["~", "/home/me"],
  ["~/", "/home/me"],
  ["~/notes/", "/home/me/notes"],
  ["~/notes.md", "/home/me/notes.md"],
  ["~//etc/hosts", "/home/me/etc/hosts"],
  ["~you/notes.md", "/work/~you/notes.md"],
])("reads %s as %s", (typed, path) => {
  expect(typedPath(typed, "/work", "/home/me")).toBe(path);
});
