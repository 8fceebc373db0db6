import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { delayUntil, type RecordedRequest, startModelServer, text } from "../model-server.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const isTitle = ({ body }: RecordedRequest) => JSON.stringify(body.messages[0]).includes("You name conversations");
const isWritten = (s: Scratch) =>
  s.logs().some((log) => readFileSync(log, "utf8").includes('"title":"Cart discounts"'));

/** Configures a model for titles, and the plugin that uses it. */
function useTitles(s: Scratch, baseUrl: string): void {
  const table = { type: "custom", api: "openai-completions", provider: "scripted", id: "small", baseUrl };
  const lines = Object.entries(table).map(([key, value]) => `${key} = "${value}"`);
  s.useModel(baseUrl, ["", "[models.title]", ...lines, "contextWindow = 8000", "maxTokens = 1000", ""].join("\n"));
  const path = join(s.home, ".scorel/config.toml");
  writeFileSync(path, `use = ["titles"]\n\n${readFileSync(path, "utf8")}`);
}

it("a title is made by the model that is configured for titles, and a given name replaces it", async () => {
  using s = scratch({ inProcess: true });
  let turns = 0;
  await using server = await startModelServer((request) => {
    if (isTitle(request)) return text("Cart discounts");
    const written = async () => expect.poll(() => isWritten(s), { timeout: 20_000 }).toBe(true);
    return ++turns === 2 ? [delayUntil(written()), text("two")] : text("one");
  });
  useTitles(s, server.baseUrl);
  expect(await s.run(["chat"], { input: "Why so cheap?\nand?\n", ownProcess: true })).toMatchObject({ code: 0 });
  const asked = server.requests.filter(isTitle).map(({ body }) => (body as { model?: string }).model);
  expect(asked).toEqual(["small"]);
  expect((await s.run(["session", "list"])).stdout).toContain("Cart discounts");
  expect((await s.run(["usage", "--by", "model"])).stdout).toMatch(/^scripted\/small .* unknown$/m);
  expect((await s.run(["search", "cart discounts"])).stdout).toContain("title      Cart discounts");
  const [log = ""] = s.logs();
  await s.run(["session", "rename", String(records(log)[0]?.sessionId), "Mine"]);
  expect((await s.run(["session", "list"])).stdout).toMatch(/ {2}Mine\n$/);
});
