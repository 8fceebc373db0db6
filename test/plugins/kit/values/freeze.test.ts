import { expect, it } from "vitest";
import { frozenAsJson } from "../../../../plugins/kit/values/freeze.ts";
import { fc } from "../../../property.ts";

it("returns the same as parsing the record, whatever the value contains", () => {
  const anything = fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: false, maxDepth: 4 });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), anything), (value) => {
      const json = JSON.stringify(value);
      const copied = frozenAsJson(value, json);
      expect(JSON.stringify(copied)).toBe(json);
      expect(copied).toEqual(JSON.parse(json));
      expect(isDeeplyFrozen(copied)).toBe(true);
    }),
    { numRuns: 2_000, verbose: 1 },
  );
});

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}
