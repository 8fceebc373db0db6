import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { canonical, isWithin, realOf } from "../../../../plugins/kit/files/paths.ts";

it.each([
  ["/a/b", "/a/b", true],
  ["/a/b", "/a/b/c", true],
  ["/a/b/", "/a/b/c", true],
  ["/", "/a", true],
  ["/a/b", "/a/bc", false],
  ["/a/b", "/a", false],
  ["/a/b", "/A/b/c", false],
])("%s contains %s: %s", (folder, path, expected) => {
  expect(isWithin(folder, path)).toBe(expected);
});

it("the real path has no links; a missing path has none, and its canonical form is unchanged", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "scorel-kit-")));
  try {
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    symlinkSync(join(folder, "nothing"), join(folder, "dangling"));
    const paths = ["link", "dangling", "nothing"].map((name) => join(folder, name));
    expect(paths.map(realOf)).toEqual([join(folder, "real"), undefined, undefined]);
    expect(paths.map(canonical)).toEqual([join(folder, "real"), paths[1], paths[2]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
