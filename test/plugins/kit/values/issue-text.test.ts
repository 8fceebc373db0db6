import { expect, it } from "vitest";
import { z } from "zod";
import { issueText } from "../../../../plugins/kit/values/issue-text.ts";

it.each<[z.ZodType, unknown, string]>([
  [z.string(), 5, "it must be a text, not the number 5"],
  [z.number(), "a", 'it must be a number, not the text "a"'],
  [z.object({}), [], "it must be an object, not a list"],
  [
    z.enum(["ask", "edits", "full"]),
    "edit",
    'it must be "ask", "edits" or "full", not the text "edit"; did you mean "edits"?',
  ],
  [z.literal("x"), "y", 'it must be "x", not the text "y"'],
  [z.number().min(0), -1, "it must be at least 0, not the number -1"],
  [z.number().positive(), 0, "it must be more than 0, not the number 0"],
  [z.number().max(9), 10, "it must be at most 9, not the number 10"],
  [z.string().min(1), "", "it must not be empty"],
  [z.array(z.string()).min(2), [], "it must have at least 2 entries"],
  [z.url(), "here", 'it must be a URL, as https://example.org, not the text "here"'],
  [z.union([z.string(), z.array(z.string())]), 5, "it must be a text or a list, not the number 5"],
  [
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("builtin").optional() }),
      z.object({ type: z.literal("custom") }),
    ]),
    { type: "costum" },
    'it must be "builtin" or "custom", not the text "costum"; did you mean "custom"?',
  ],
  [
    z.union([z.union([z.string(), z.literal(["a", "b"])]), z.boolean()]),
    [],
    'it must be a text or "a" or "b" or true or false, not a list',
  ],
  [z.object({ a: z.union([z.string(), z.array(z.string())]) }), {}, "it is missing, a text or a list is needed"],
  [z.strictObject({ a: z.unknown() }), {}, "it is missing"],
  [
    z.union([z.strictObject({ file: z.string() }), z.strictObject({ text: z.string() })]),
    { fil: "x" },
    'it has none of the allowed forms: file: it is missing, a text is needed and there is no "fil" here; or text: it is missing, a text is needed and there is no "fil" here',
  ],
  [
    z.union([z.object({ kind: z.literal("a"), n: z.number() }), z.object({ kind: z.literal("b") })]),
    { kind: "a" },
    "n: it is missing, a number is needed",
  ],
  [
    z.union([
      z.string(),
      z.array(
        z.union([
          z.object({ type: z.literal("text"), text: z.string() }),
          z.object({ type: z.literal("image"), data: z.string() }),
        ]),
      ),
    ]),
    [{ type: "text" }],
    "0.text: it is missing, a text is needed",
  ],
  [z.strictObject({}), { a: 1, b: 2 }, 'there is no "a", "b" here'],
  [z.string().refine(() => false, "the author's own words"), "x", "the author's own words"],
])("an issue of zod is described in plain words, and an author's own message is kept", (schema, value, text) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  const found = issue?.path.reduce<unknown>((inner, key) => Object(inner)[key], value);
  expect(issue && issueText(issue, { value: found })).toBe(text);
});
