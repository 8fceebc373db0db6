import { describe, expect, it } from "vitest";
import { z } from "zod";
import { combined, isTooWide, optionsOf } from "../../../../plugins/kit/schema/layering.ts";

const list = z.array(z.string()).optional();
const schema = z.object({
  last: z.string().optional(),
  join: list.meta({ layers: "join" }),
  own: list.meta({ layers: "own" }),
  narrow: z.enum(["all", "some", "none"]).optional().meta({ layers: "narrow", unset: "some" }),
});

const combine = (option: keyof typeof schema.shape, ...given: [by: "user" | "project", value: unknown][]) =>
  combined(
    schema.shape[option],
    given.map(([by, value]) => ({ value, isOfProject: by === "project" })),
  );

describe("combined values of an option", () => {
  it.each([
    ["the last counts by default", combine("last", ["user", "a"], ["project", "b"]), undefined],
    ["lists are joined without duplicates", combine("join", ["user", ["a"]], ["project", ["b", "a"]]), ["a", "b"]],
    ["what is no list is left to the schema", combine("join", ["user", ["a"]], ["user", 7]), 7],
    ["own lists leave out those of a project", combine("own", ["user", ["a"]], ["project", ["b"]]), ["a"]],
    ["a project narrows", combine("narrow", ["user", "all"], ["project", "none"]), "none"],
    ["a project does not widen", combine("narrow", ["user", "none"], ["project", "all"]), "none"],
    ["the user may widen", combine("narrow", ["user", "none"], ["user", "all"]), "all"],
    ["a project does not widen the default", combine("narrow", ["project", "all"]), undefined],
  ])("%s", (_name, result, value) => {
    expect(result?.value).toEqual(value);
  });

  it("distinguishes that the last value counts from that no value counts", () => {
    expect([combine("last", ["user", "a"]), combine("own", ["project", ["b"]])]).toEqual([
      undefined,
      { value: undefined },
    ]);
  });
});

describe("a value that allows too much in a project", () => {
  it.each([
    ["narrow", "all", "none", true],
    ["narrow", "none", "all", false],
    ["narrow", "all", undefined, true],
    ["own", ["a"], ["a"], true],
    ["join", ["a"], undefined, false],
    ["last", "a", "b", false],
    ["unknown", "a", undefined, false],
  ])("%s = %j over %j: %s", (key, value, before, expected) => {
    expect(isTooWide(schema, [key], value, before)).toBe(expected);
  });

  it("is not found below an option, nor without a schema", () => {
    expect([isTooWide(schema, ["own", 0], "a", undefined), isTooWide(undefined, ["own"], [], [])]).toEqual([
      false,
      false,
    ]);
    expect(Object.keys(optionsOf(schema))).toEqual(["last", "join", "own", "narrow"]);
  });
});
