import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../plugins/kit/text/diff.ts";
import { readDiff } from "../../../plugins/kit/text/diff-lines.ts";
import { type DiffPart, partsOf } from "../../../plugins/web/page/display/diff-parts.ts";

const none: ReadonlySet<number> = new Set();
/** A diff that contains all of its unchanged lines. */
const whole = (unchanged: number) =>
  readDiff(`@@ -1 +1 @@\n-a\n+b\n${" same\n".repeat(unchanged)}-c\n-d\n+e\n@@ -90 +90 @@\n f\n`);
const shapeOf = (parts: readonly DiffPart[]) =>
  parts.map((part) => {
    if (part.kind === "pair") return `${part.old ?? "."}|${part.now ?? "."}`;
    return part.kind === "line" ? `${part.at}` : `${part.kind} ${"count" in part ? part.count : part.at}`;
  });

describe("the rows of a diff", () => {
  it("stand under each other, with the number of lines that are left out", () => {
    const shape = shapeOf(partsOf(whole(2), { isSplit: false, open: none }));
    expect(shape).toEqual(["1", "2", "3", "4", "5", "6", "7", "gap 85", "9"]);
  });

  it("stand side by side, with nothing where a version has no line", () => {
    const shape = shapeOf(partsOf(whole(2), { isSplit: true, open: none }));
    expect(shape).toEqual(["1|2", "3|3", "4|4", "5|7", "6|.", "gap 85", "9|9"]);
  });

  it("are folded where many are unchanged, until they are opened, and never in a question", () => {
    const lines = whole(20);
    const shape = (open: ReadonlySet<number> | "all") => shapeOf(partsOf(lines, { isSplit: false, open }));
    expect(shape(none).slice(0, 9)).toEqual(["1", "2", "3", "4", "5", "fold 14", "20", "21", "22"]);
    expect(partsOf(lines, { isSplit: false, open: none })[5]).toEqual({ kind: "fold", at: 6, count: 14 });
    expect(shape(new Set([6]))).toEqual(shape("all"));
    expect(shape("all").length).toBe(27);
  });

  it("hold every line of a diff of any file", () => {
    const before = Array.from({ length: 300 }, (_, at) => `line ${at % 7}\n`).join("");
    const after = before.replaceAll("line 3", "line three").replace("line 5\n", "");
    const lines = readDiff(unifiedDiff("a", before, after, { whole: true }));
    const places = lines.flatMap(({ sign }, at) => (sign === "@" ? [] : [at]));
    const shown = partsOf(lines, { isSplit: false, open: "all" }).flatMap((part) => ("at" in part ? [part.at] : []));
    expect(shown).toEqual(places);
    const pairs = partsOf(lines, { isSplit: true, open: "all" });
    const both = pairs.flatMap((part) => (part.kind === "pair" ? [part.old, part.now] : []));
    expect([...new Set(both)].filter((at) => at !== undefined).sort((a, b) => a - b)).toEqual(places);
  });
});
