import { expect, it } from "vitest";
import { matchingModels, nameOf, shortCount, usableModels } from "../../../plugins/web/page/chat/models.ts";

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

it("models without a key are left out until somebody looks for one, or none has a key", () => {
  const ready = model("two", "small", true);
  const models = [model("one", "Small"), ready];
  expect(usableModels(models, " ")).toEqual([ready]);
  expect(usableModels(models, "one")).toBe(models);
  const unready = models.slice(0, 1);
  expect(usableModels(unready, "")).toBe(unready);
});

it.each([
  [900, "900"],
  [128_000, "128k"],
  [1_048_576, "1M"],
  [2_500_000, "2.5M"],
])("%i tokens are %s", (tokens, shown) => {
  expect(shortCount(tokens)).toBe(shown);
});
