import { expect, it } from "vitest";
import { dotted, isTable, leavesOf } from "../../../../plugins/kit/values/table.ts";

it("only plain objects are tables", () => {
  expect([{}, Object.create(null), [], null, new Date(), new Map(), "x", undefined].map(isTable)).toEqual([
    true,
    true,
    ...Array(6).fill(false),
  ]);
});

it("paths are written as in TOML", () => {
  expect([["model", "id"], ["my ext", "key"], ["list", 0], [""]].map(dotted)).toEqual([
    "model.id",
    '"my ext".key',
    "list.0",
    '""',
  ]);
});

it("leaves are all values but tables, with their paths", () => {
  expect(leavesOf({ a: { b: 1, c: {} }, d: [1, 2], e: undefined }, ["x"])).toEqual([
    { path: ["x", "a", "b"], value: 1 },
    { path: ["x", "d"], value: [1, 2] },
  ]);
});
