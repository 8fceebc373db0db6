import { everyPage } from "@scorel/host/client";
import { afterEach, expect, it, vi } from "vitest";
import { KeptLists } from "../../../plugins/checkpoints/restore/kept-lists.ts";
import { project } from "./project.ts";

afterEach(() => void vi.useRealTimers());

it("a list is made once for all its pages and each client, and again for a new first page", async () => {
  const lists = new KeptLists();
  let made = 0;
  const read = (key: string, skip: number) => lists.of(key, skip, async () => ++made);
  expect([await read("a", 0), await read("a", 5), await read("a", 9), await read("b", 5)]).toEqual([1, 1, 1, 2]);
  expect([await read("a", 0), await read("a", 5)]).toEqual([3, 3]);
  lists.clear();
  expect(await read("a", 5)).toBe(4);
  lists.clear();
});

it("eight lists are kept at a time, and each for half a minute after its last page", async () => {
  vi.useFakeTimers();
  const lists = new KeptLists();
  let made = 0;
  const read = (key: string, skip: number) => lists.of(key, skip, async () => ++made);
  for (const key of "abcdefghi") await read(key, 0);
  expect([await read("b", 1), await read("i", 1), await read("a", 1)]).toEqual([2, 9, 10]);
  vi.advanceTimersByTime(29_000);
  expect(await read("i", 2)).toBe(9);
  vi.advanceTimersByTime(29_000);
  expect([await read("i", 3), await read("a", 2)]).toEqual([9, 11]);
  vi.advanceTimersByTime(30_000);
  expect(vi.getTimerCount()).toBe(0);
});

it("a list that could not be made is made again", async () => {
  const lists = new KeptLists();
  await expect(lists.of("a", 0, () => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
  expect(await lists.of("a", 1, async () => "made")).toBe("made");
  lists.clear();
});

it("the pages of list_changes are of one list, and the first page shows the files as they are", async () => {
  await using p = await project({ files: { a: "1\n", b: "1\n", c: "1\n" } });
  await p.bash("for f in a b c; do echo 2 > $f; done");
  const { sessionId, client } = p;
  const page = async (skip: number) => {
    const { changes } = await client.request("list_changes", { sessionId, limit: 1, skip });
    return changes.map(({ path, diff }) => [path, /^\+(\d)/m.exec(diff ?? "")?.[1]]);
  };
  expect(await page(0)).toEqual([["a", "2"]]);
  p.file("b", "3\n");
  expect([await page(1), await page(2)]).toEqual([[["b", "2"]], [["c", "2"]]]);
  await page(0);
  expect(await page(1)).toEqual([["b", "3"]]);
  const all = await everyPage((more) => client.request("list_changes", { sessionId, limit: 1, ...more }));
  expect(all.changes.map(({ path }) => path)).toEqual(["a", "b", "c"]);
});
