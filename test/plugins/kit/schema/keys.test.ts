import { describe, expect, it } from "vitest";
import { z } from "zod";
import { knownKeys, metaAt, unknownKeys } from "../../../../plugins/kit/schema/keys.ts";

const builtin = z.object({ type: z.literal("builtin"), id: z.string() });
const custom = z.object({ type: z.literal("custom"), url: z.string().meta({ risk: "high" }) });
const schema = z.object({
  name: z.string().optional(),
  list: z.array(z.object({ a: z.number() })).default([]),
  pair: z.tuple([z.object({ b: z.number() }), z.string()]).optional(),
  any: z.record(z.string(), z.object({ c: z.number() })).optional(),
  open: z.looseObject({ d: z.number() }).optional(),
  model: z.union([builtin, custom]).optional(),
  both: z.intersection(z.object({ e: z.number() }), z.object({ f: z.number() })).optional(),
  later: z.lazy(() => z.object({ g: z.number() })).optional(),
  table: z.object({ h: z.number() }).meta({ risk: "low" }).optional(),
});

describe("the unknown keys of a value", () => {
  it.each([
    ["none, when the schema names all", { name: "x", list: [{ a: 1 }] }, []],
    ["at the top", { naem: "x" }, ["naem"]],
    ["in elements of a list", { list: [{ a: 1 }, { a: 1, z: 2 }] }, ["list.1.z"]],
    ["in elements of a tuple", { pair: [{ b: 1, z: 2 }, "x"] }, ["pair.0.z"]],
    ["below the keys of a record, which may have any name", { any: { x: { c: 1, z: 2 } } }, ["any.x.z"]],
    ["not in a table that is open", { open: { d: 1, z: 2 } }, []],
    ["of the alternative that its literals pick", { model: { type: "custom", id: "x" } }, ["model.id"]],
    ["that neither side of an intersection names", { both: { e: 1, f: 2, z: 3 } }, ["both.z"]],
    ["of a schema that is made later", { later: { g: 1, z: 2 } }, ["later.z"]],
    ["not below a value that is not a table", { table: 5 }, []],
  ])("are found %s", (_where, value, expected) => {
    expect(unknownKeys(schema, value).map((path) => path.join("."))).toEqual(expected);
  });

  it("begin with the path that is given", () => {
    expect(unknownKeys(schema, { z: 1 }, ["plugin"])).toEqual([["plugin", "z"]]);
  });
});

it("the known keys of a table are those of all alternatives", () => {
  expect(knownKeys(schema, ["model"])).toEqual(["type", "id", "url"]);
  expect(knownKeys(schema, ["list", 0])).toEqual(["a"]);
  expect(knownKeys(schema, ["both"])).toEqual(["e", "f"]);
  expect(knownKeys(schema, ["missing"])).toEqual([]);
});

it("metadata is that of the key, else of the nearest table around it", () => {
  expect(metaAt(schema, ["model", "url"], "risk")).toBe("high");
  expect(metaAt(schema, ["table", "h"], "risk")).toBe("low");
  expect(metaAt(schema, ["name"], "risk")).toBeUndefined();
  expect(metaAt(undefined, [], "risk")).toBeUndefined();
});
