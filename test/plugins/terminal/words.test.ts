import { expect, it } from "vitest";
import { pickersEn, pickersZh } from "../../../plugins/terminal/words/pickers.ts";
import { zh } from "../../../plugins/terminal/words/zh.ts";

/** All texts of a table; functions are called with letters as arguments. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "function") return textsOf(value("A", "B", "C", "D", "E"));
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

it("Chinese texts have the punctuation of Chinese", () => {
  const texts = [...textsOf(zh), ...textsOf(pickersZh)];
  expect(texts.length).toBeGreaterThan(textsOf(pickersEn).length + 100);
  expect(texts.filter((text) => /\p{Script=Han}[,:;?!(]|[,:;)]\p{Script=Han}/u.test(text))).toEqual([]);
});
