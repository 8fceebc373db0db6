import { describe, expect, it } from "vitest";
import { nearest } from "../../../../plugins/kit/values/nearest.ts";

describe("the candidate that was probably meant", () => {
  it.each([
    ["comand", "command"],
    ["commadn", "command"],
    ["baseURL", "baseUrl"],
    ["xy", undefined],
    ["commandcommand", undefined],
  ])("of %s is %s", (word, meant) => {
    expect(nearest(word, ["provider", "command", "baseUrl"])).toBe(meant);
  });

  it("is none for a word of a million letters, which is answered within a second", () => {
    const began = performance.now();
    expect(nearest("a".repeat(1_000_000), ["provider", "command", "baseUrl"])).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
