import { expect, it } from "vitest";
import { resultOf } from "../../../plugins/mcp/tools/result.ts";
import { readDescription, readSchema } from "../../../plugins/mcp/tools/schema.ts";

const HALF = "\ud83d";

it("descriptions, patterns and results are cut between characters", () => {
  const at = (place: number) => `${"a".repeat(place - 1)}😀${"b".repeat(10)}`;
  expect(readDescription(at(4_000), "x")).toBe(`${"a".repeat(3_999)}…`);
  expect(readSchema({ properties: { a: { pattern: at(200) } } })).toEqual({
    type: "object",
    properties: { a: { description: `Pattern: ${"a".repeat(199)}` } },
  });
  const { content } = resultOf({ content: [{ type: "text", text: at(50_000) }] }, String);
  expect(content[0]).toEqual({ type: "text", text: "a".repeat(49_999) });
});

it("half a character that a server sends reaches no provider, wherever it is in a tool", () => {
  expect(readDescription(`a${HALF}`, "x")).toBe("a\ufffd");
  expect(readDescription("", `x${HALF}`)).toBe("x\ufffd");
  expect(readSchema({ properties: { [HALF]: { enum: [HALF, "😀"], default: { [HALF]: HALF } } } })).toEqual({
    type: "object",
    properties: { "\ufffd": { enum: ["\ufffd", "😀"], default: { "\ufffd": "\ufffd" } } },
  });
});

it.each(["#/examples/0", "#/%65xamples/0", "#/properties/b/enum/0", "#/properties/b/default", "#/$defs/c/const/d"])(
  "a reference to data is refused, since a pattern could hide there: %s",
  (reference) => {
    const hidden = { type: "string", pattern: "^(a+)+$" };
    const schema = {
      properties: { a: { $ref: reference }, b: { enum: [hidden], default: hidden } },
      $defs: { c: { const: { d: hidden } } },
      examples: [hidden],
    };
    expect(() => readSchema(schema)).toThrow(`its reference ${reference} leads to data and not to a schema`);
  },
);

it("a reference to a schema is kept, whatever the schema is named, and has no pattern there", () => {
  const schema = {
    type: "object",
    properties: {
      a: { $ref: "#/$defs/default" },
      enum: { anyOf: [{ type: "string" }] },
      b: { $ref: "#/properties/enum/anyOf/0" },
    },
    $defs: { default: { type: "string", pattern: "^(a+)+$" } },
  };
  expect(readSchema(schema)).toEqual({
    ...schema,
    $defs: { default: { type: "string", description: "Pattern: ^(a+)+$" } },
  });
});
