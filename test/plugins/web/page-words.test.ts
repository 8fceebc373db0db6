import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { wordsOf } from "../../../plugins/web/page/words/words.ts";
import { root } from "../../docs/source.ts";

const folder = join(root, "plugins/web/page/words");

it("each word of the page belongs to one file, so that no part changes the words of another", async () => {
  const parts = readdirSync(folder).filter((file) => file !== "words.ts");
  const tables = await Promise.all(parts.map((file) => import(join(folder, file))));
  const keys = tables.flatMap((exported) => Object.values(exported).flatMap(({ en }: any) => Object.keys(en)));
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

it("a branch with one message is not said to have several", () => {
  const { words } = wordsOf(["en"]);
  expect([1, 2].map(words.branchMessages)).toEqual(["1 message", "2 messages"]);
});
