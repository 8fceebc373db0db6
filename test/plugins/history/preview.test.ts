import { expect, it } from "vitest";
import { drawPreview } from "../../../plugins/history/drawing.ts";

const change = (path: string, lines: number) => ({
  ...{ path, kind: "modified" as const },
  diff: "-old\n".repeat(lines),
});

it("a preview of files shows each change with its diff, what stays, and what is not covered", () => {
  const changes = [change("a.js", 2), { path: "b.js", kind: "created" as const, conflict: "it was changed since" }];
  expect(drawPreview({ changes, notCovered: [{ path: ".", reason: "too many files" }] }, false)).toBe(
    [
      ...["modified: a.js", "-old", "-old"],
      "kept as it is: b.js: it was changed since (--overwrite replaces it)",
      "not covered: all files: too many files\n",
    ].join("\n"),
  );
  expect(drawPreview({ changes: [], notCovered: [] }, false)).toBe("No file differs from then.\n");
});

it("a preview of thousands of files has at most 1,000 lines of diffs, and 1,000 names", () => {
  const changes = Array.from({ length: 4_000 }, (_, at) => change(`f${at}.js`, at === 0 ? 5_000 : 30));
  const lines = drawPreview({ changes, notCovered: [] }, false).trimEnd().split("\n");
  expect([lines.filter((line) => line === "-old").length, ...lines.slice(0, 3)]).toEqual([
    ...[990, "modified: f0.js", "modified: f1.js", "-old"],
  ]);
  expect(lines.slice(-3)).toEqual([
    "modified: f999.js",
    "967 diffs left out, since the preview would have more than 1000 lines.",
    "3000 further files not named here.",
  ]);
});
