import { describe, expect, it } from "vitest";
import type { ByteRange } from "../../../plugins/coding/contract.ts";
import { afterReplacing, uncovered, union } from "../../../plugins/coding/files/coverage.ts";
import { fc } from "../../property.ts";

const ranges = fc
  .array(fc.tuple(fc.nat(40), fc.nat(10)), { maxLength: 6 })
  .map((list) => union(list.map(([from, size]) => [from, from + size])));

/** Ranges as a list of flags, one for each byte. */
const flags = (covered: readonly ByteRange[], size: number) =>
  Array.from({ length: size }, (_, at) => covered.some(([from, to]) => from <= at && at < to));

describe("file coverage", () => {
  it("is stored as ascending, separate ranges", () => {
    expect(
      union([
        [5, 7],
        [0, 2],
        [2, 3],
        [6, 9],
        [4, 4],
      ]),
    ).toEqual([
      [0, 3],
      [5, 9],
    ]);
  });

  it("returns the first missing byte", () => {
    fc.assert(
      fc.property(ranges, fc.nat(50), fc.nat(20), (seen, from, size) => {
        const missing = flags(seen, 80)
          .slice(from, from + size)
          .indexOf(false);
        expect(uncovered(seen, [from, from + size])?.[0]).toBe(missing < 0 ? undefined : from + missing);
      }),
    );
  });

  it("shifts with replacements, byte by byte", () => {
    const cuts = fc.array(fc.tuple(fc.nat(12), fc.nat(5), fc.nat(6)), { maxLength: 4 });
    fc.assert(
      fc.property(ranges, cuts, (seen, list) => {
        let at = 0;
        const replacements = list.map(([gap, size, length]) => {
          const from = at + gap;
          at = from + size;
          return { from, to: at, length };
        });
        const before = flags(seen, 120);
        let kept = 0;
        const after = replacements.flatMap(({ from, to, length }) => {
          const part = [...before.slice(kept, from), ...Array.from({ length }, () => true)];
          kept = to;
          return part;
        });
        expect(flags(afterReplacing(seen, replacements), 150)).toEqual(
          flags(union(rangesOf([...after, ...before.slice(kept)])), 150),
        );
      }),
    );
  });
});

function rangesOf(list: boolean[]): ByteRange[] {
  return list.flatMap((flag, at) => (flag ? [[at, at + 1] as const] : []));
}
