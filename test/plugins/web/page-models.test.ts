import { expect, it } from "vitest";
import { matchingModels, nameOf, shortCount } from "../../../plugins/web/page/chat/models.ts";

const model = (provider: string, id: string, ready = false) => ({
  ...{ provider, id, ready, contextWindow: 1, maxTokens: 1, images: false, thinks: false },
});

it("models are found by words of their names, those that can be used at once first", () => {
  const models = [model("one", "Small"), model("two", "large"), model("two", "small", true)];
  const names = (wanted: string) => matchingModels(models, wanted).map(nameOf);
  expect(names("")).toEqual(["two/small", "one/Small", "two/large"]);
  expect(names(" SMALL ")).toEqual(["two/small", "one/Small"]);
  expect(names("two lar")).toEqual(["two/large"]);
  expect(names("three")).toEqual([]);
});

it.each([
  [900, "900"],
  [128_000, "128k"],
  [1_048_576, "1M"],
  [2_500_000, "2.5M"],
])("%i tokens are %s", (tokens, shown) => {
  expect(shortCount(tokens)).toBe(shown);
});
