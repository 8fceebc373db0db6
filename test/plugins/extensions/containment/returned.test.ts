import { definePlugin, type HookCall } from "@scorel/kernel";
import { expect, it } from "vitest";
import { contained, type TestPlugin, testKernel } from "../../../harness.ts";
import { notes } from "../../../kernel/notes.ts";

declare module "@scorel/kernel" {
  interface Contributions {
    signs: string[];
  }
  interface Hooks {
    mark(text: { words: string[] }): { words: string[] } | undefined;
  }
  interface Services {
    marker: { mark: HookCall<"mark"> };
  }
}

const base = { name: "test", version: "1.0.0" };
const marker = definePlugin({
  ...base,
  id: "marker",
  provides: ["marker"],
  activate: (ctx) => ctx.provide("marker", { mark: ctx.defineHook("mark", "waterfall") }),
});
const boom = (): never => {
  throw new Error("boom");
};
const file = "/e/own.ts";

/** A failing extension that returns its parts from `activate`, and one that has the same parts as fields. */
async function failures(
  parts: () => { signs?: () => string[]; hooks?: () => object; onEvent?: (event: { type: string }) => void },
) {
  const inside = definePlugin({ ...base, id: "own", needs: ["marker"], activate: () => parts() });
  const outside = definePlugin({ ...base, id: "own", needs: ["marker"], ...parts() });
  const run = async (plugin: TestPlugin) => {
    await using t = await testKernel([notes, marker, plugin]);
    const input = { words: ["a"] };
    const marked: unknown[] = [];
    for (let times = 0; times < 5; times++) {
      marked.push(await t.kernel.find("marker")?.mark(input));
      t.kernel.collect("signs");
      t.session.emit("tick", { n: times });
      await t.kernel.drained();
    }
    expect(input).toEqual({ words: ["a"] });
    const failed = t.kernel.failures.map(({ plugin: id, where, code, at }) => ({ id, where, code, at }));
    await t.kernel.unload("own");
    return { failed, marked, census: t.kernel.census() };
  };
  const [returned, own] = [await run(contained(inside, file, { file })), await run(contained(outside, file, { file }))];
  expect(returned).toEqual(own);
  return returned;
}

const times = (where: string) => [
  ...Array(3).fill({ id: "own", where, code: "UNEXPECTED", at: file }),
  { id: "own", where: where.split(" ", 1)[0], code: "PLUGIN_SWITCHED_OFF", at: file },
];

it("switches a returned layer off after its third failure, like one of the extension itself", async () => {
  expect((await failures(() => ({ hooks: () => ({ mark: boom }) }))).failed).toEqual(times("mark"));
});

it("switches a returned contribution off after its third failure", async () => {
  expect((await failures(() => ({ signs: boom }))).failed).toEqual(times("signs"));
});

it("switches a returned listener off after its third failure", async () => {
  expect((await failures(() => ({ onEvent: ({ type }) => (type === "tick" ? boom() : undefined) }))).failed).toEqual(
    times("onEvent tick"),
  );
});

it("passes copies to returned layers, which they may change", async () => {
  const mark = (text: { words: string[] }) => void text.words.push("b");
  const { failed, marked } = await failures(() => ({ hooks: () => ({ mark }) }));
  expect([failed, marked[0]]).toEqual([[], { words: ["a", "b"] }]);
});

it("reports a returned object that cannot be used, and starts the rest", async () => {
  const plugin = definePlugin({ ...base, id: "own", activate: () => ({ hooks: 1 }) as object });
  await using t = await testKernel([notes, contained(plugin, file, { file })]);
  expect(t.kernel.failures).toMatchObject([
    { plugin: "own", where: "start", code: "PLUGIN_RETURNED", message: expect.stringContaining('"hooks" that are') },
  ]);
});

/** A thenable that is not a promise: `begin` is its `then`. */
const thenable = (begin: (resolve: (words: object) => void) => void) =>
  // biome-ignore lint/suspicious/noThenProperty: thenables are what is tested
  Object.defineProperty({}, "then", { value: begin });
const words = { words: ["b"] };

it.each<[string, () => unknown]>([
  ["a thenable", () => thenable((resolve) => resolve(words))],
  ["a thenable that resolves later", () => thenable((resolve) => setTimeout(() => resolve(words), 5))],
  [
    "a promise whose `then` was replaced",
    () =>
      // biome-ignore lint/suspicious/noThenProperty: such promises are what is tested
      Object.defineProperty(Promise.resolve(), "then", { value: (resolve: (given: object) => void) => resolve(words) }),
  ],
])("takes what %s resolves with as the result of a layer", async (_what, answer) => {
  const own = definePlugin({ ...base, id: "own", needs: ["marker"], hooks: () => ({ mark: answer as never }) });
  await using t = await testKernel([marker, contained(own, file, { file })]);
  expect(await t.kernel.find("marker")?.mark({ words: ["a"] })).toEqual(words);
});

it("waits for a thenable that never resolves no longer than the layer's limit", async () => {
  const tap = { limit: 20, handler: () => thenable(() => {}) as never };
  const own = definePlugin({ ...base, id: "own", needs: ["marker"], hooks: () => ({ mark: tap }) });
  await using t = await testKernel([marker, contained(own, file, { file })]);
  expect(await t.kernel.find("marker")?.mark({ words: ["a"] })).toEqual({ words: ["a"] });
  expect(t.kernel.failures).toMatchObject([{ plugin: "own", where: "mark", code: "HOOK_LIMIT" }]);
});

it.each([
  ["a Map", new Map()],
  ["a list", []],
])("refuses %s in place of the table of layers", async (_what, hooks) => {
  const own = definePlugin({ ...base, id: "own", activate: () => ({ hooks: hooks as never }) });
  await using t = await testKernel([marker, contained(own, file, { file })]);
  expect(t.kernel.failures).toMatchObject([{ plugin: "own", where: "start" }]);
});
