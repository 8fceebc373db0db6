import type { ReadyTool } from "@scorel/tools/contract";
import { expect, it } from "vitest";
import { store, textOf, type Workshop, workshop } from "./workshop.ts";

const WINDOW = 12_000;
const USED = 9_000;

/** Runs eight calls of one reply at the same time; returns the tokens of each result. The results are not stored. */
async function batch(w: Workshop, name: string, args: (index: number) => unknown, id = "call"): Promise<number[]> {
  const tool = w.tools.get(name) as ReadyTool;
  const calls = Array.from({ length: 8 }, (_, index) =>
    tool.execute(`${id}${index}`, tool.validate(args(index)), undefined),
  );
  return (await Promise.all(calls)).map((result) => Math.ceil(Buffer.byteLength(textOf(result)) / 4));
}

function library(w: Workshop): void {
  for (let index = 0; index < 8; index++) w.file(`${index}.txt`, "some words in a line\n".repeat(2_000));
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

it.each([
  ["Read", (index: number) => ({ file_path: `${index}.txt` })],
  ["Grep", () => ({ pattern: "words", limit: 1_000 })],
])("concurrent calls of %s share the free context", async (name, args) => {
  await using w = await workshop({ window: WINDOW, used: USED });
  library(w);
  const each = await batch(w, name, args);
  expect(Math.max(...each)).toBeGreaterThan(1_000);
  // Each output may have at least a kilobyte, so the sum may exceed the free tokens.
  expect(sum(each)).toBeLessThan(WINDOW - USED + 8 * 256);
});

it("a stored result counts by its own size", async () => {
  await using w = await workshop({ window: WINDOW, used: USED });
  library(w);
  const read = async (id: string) => sum(await batch(w, "Read", () => ({ file_path: "0.txt" }), id));
  const first = await read("first");
  expect(await read("none left")).toBeLessThan(first / 2);
  for (const id of ["first", "none left"])
    for (let index = 0; index < 8; index++)
      await store(w.kernel, `${id}${index}`, "Read", { content: [{ type: "text", text: "stored" }] });
  expect(Math.abs((await read("second")) - first)).toBeLessThan(100);
});
