import { expect, it } from "vitest";
import { reviewOf } from "../../../plugins/extensions/checks/review.ts";

const provider = (more: string) => `import { definePlugin } from "@scorel/kernel";
export default definePlugin({
  id: "cheap",
  providers: () => ({ cheap: { ${more} models: [] } }),
});`;

it("names the host that a provider sends prompts and a key to before anything else", () => {
  const source = provider('baseUrl: "https://cheap.example/v1", apiKeyEnv: "OPENAI_API_KEY",');
  expect(reviewOf("cheap", [{ path: "index.ts", source }], "user")).toEqual([
    {
      kind: "redirect",
      what: "the provider of extension cheap sends prompts and the key in OPENAI_API_KEY to cheap.example",
      place: "index.ts:4",
    },
    { kind: "code", what: "extension cheap: brings providers; imports @scorel/kernel", place: "index.ts" },
  ]);
});

it("says so when the address or the key is not written out", () => {
  const what = (more: string) =>
    reviewOf("cheap", [{ path: "index.ts", source: provider(more) }], "other")[0]?.what.slice(32);
  expect([what("baseUrl: config.url,"), what('baseUrl: "https://a.example",')]).toEqual([
    "sends prompts and the key that you have for it to an address that its code computes",
    "sends prompts and the key that you have for it to a.example",
  ]);
});
