import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkTable, createConfigSchema, toJsonSchema } from "../../presets/layers/schema.ts";

const unsupported = (...path: (string | number)[]) => ({ path, message: "Unsupported config key" });

describe("the configuration's schema", () => {
  it("refuses unknown keys at any depth, even if the plugin's schema is not strict", () => {
    const inner = z.object({ a: z.number() });
    const schema = z.object({
      object: inner.optional(),
      list: z.array(inner).default([]),
      record: z.record(z.string(), inner).optional(),
      tuple: z.tuple([inner], inner).optional(),
      either: z.union([inner, z.object({ b: z.string() })]).optional(),
      kind: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("x"), x: z.number() }),
          z.object({ type: z.literal("y"), y: z.number() }),
        ])
        .optional(),
      both: z.intersection(inner, z.object({ b: z.number() })).optional(),
      piped: inner.transform(({ a }) => a).optional(),
      later: z.lazy(() => inner).optional(),
      open: z.looseObject({ a: z.number() }).optional(),
    });
    const value = {
      object: { a: 1, no: 1 },
      list: [{ a: 1 }, { a: 1, no: 1 }],
      record: { any: { a: 1, no: 1 } },
      tuple: [
        { a: 1, no: 1 },
        { a: 1, no: 1 },
      ],
      either: { b: "1", no: 1 },
      kind: { type: "y", x: 1, y: "wrong" },
      both: { a: 1, b: 1, no: 1 },
      piped: { a: 1, no: 1 },
      later: { a: 1, no: 1 },
      open: { a: 1, yes: 1 },
      no: 1,
    };
    expect(checkTable(schema, value, ["t"])).toEqual([
      { path: ["t", "kind", "y"], message: 'it must be a number, not the text "wrong"', value: "wrong" },
      unsupported("t", "object", "no"),
      unsupported("t", "list", 1, "no"),
      unsupported("t", "record", "any", "no"),
      unsupported("t", "tuple", 0, "no"),
      unsupported("t", "tuple", 1, "no"),
      unsupported("t", "either", "no"),
      unsupported("t", "kind", "x"),
      unsupported("t", "both", "no"),
      unsupported("t", "piped", "no"),
      unsupported("t", "later", "no"),
      unsupported("t", "no"),
    ]);
  });

  it("does not show values that may be secrets, and shortens long ones", () => {
    const schema = z.object({
      apiKey: z.number(),
      headers: z.record(z.string(), z.number()),
      long: z.number(),
      url: z.number(),
    });
    const value = { apiKey: "canary", headers: { x: "canary" }, long: "x".repeat(99), url: "http://me:canary@host/" };
    expect(checkTable(schema, value, ["t"])).toEqual([
      { path: ["t", "apiKey"], message: "it must be a number" },
      { path: ["t", "headers", "x"], message: "it must be a number" },
      { path: ["t", "long"], message: `it must be a number, not the text "${"x".repeat(58)}…`, value: value.long },
      { path: ["t", "url"], message: 'it must be a number, not the text "http://host/"', value: "http://host/" },
    ]);
  });

  it("reports each unknown key once, whether the walk or a strict schema found it", () => {
    const schema = z.strictObject({ deep: z.strictObject({}).optional() });
    expect(checkTable(schema, { no: 1, deep: { nor: 1 } }, [])).toEqual([
      unsupported("no"),
      unsupported("deep", "nor"),
    ]);
  });

  it("explains why the nearest alternative of a union does not fit", () => {
    const schema = z.object({ at: z.union([z.string(), z.object({ port: z.number() })]) });
    expect(checkTable(schema, { at: { port: "x" } }, [])).toEqual([
      expect.objectContaining({ path: expect.arrayContaining(["at"]) }),
    ]);
  });

  it("combines the plugins' schemas, allows no other keys, and has a JSON Schema", () => {
    const config = z.object({
      keep: z.number().int().default(20),
      deep: z.object({ any: z.record(z.string(), z.any()) }),
    });
    const plugin = definePlugin({ id: "sample", name: "Sample", version: "1.0.0", config });
    const plain = definePlugin({ id: "plain", name: "Plain", version: "1.0.0" });
    const json = toJsonSchema(createConfigSchema([plugin, plain]));
    const keys = ["description", "extends", "use", "without", "extensions", "requires", "locked", "sample", "plain"];
    expect(Object.keys(json.properties as object)).toEqual(keys);
    expect(json).toMatchObject({
      additionalProperties: false,
      properties: {
        plain: { additionalProperties: false },
        sample: {
          additionalProperties: false,
          required: ["deep"],
          properties: { deep: { additionalProperties: false, properties: { any: { additionalProperties: {} } } } },
        },
      },
    });
  });
});
