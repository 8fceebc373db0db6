import { everyPage } from "@scorel/host/client";
import type { AnswerSize, Cut, JsonSchema, Page, PageParams, SchemaSource } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { z } from "zod";
import { results } from "../../../plugins/host/clients/operation-results.ts";
import { operations } from "../../../plugins/host/clients/operations.ts";
import { schemaFrom } from "../../../plugins/host/clients/plugin-operations.ts";
import { catalogue } from "../../../presets/catalogue.ts";
import { contributedOperations } from "../../docs/operations.ts";
import { testHome, testHost } from "./home.ts";

declare module "@scorel/host/contract" {
  interface Operations {
    list_things: {
      params: { count: number; length: number } & PageParams;
      result: { seq: number; things: string[]; others: string[] } & Page;
    };
    remove_things: { params: { count: number; length: number }; result: { things: string[] } & Cut };
  }
}

interface Row {
  size?: AnswerSize;
  result?: SchemaSource<unknown>;
}

/** Every operation of the host and of the plugins of Scorel, with the schema of its result. */
async function everyOperation(): Promise<[name: string, Row][]> {
  const own = Object.entries(operations).map(([name, row]): [string, Row] => [
    name,
    { ...(row as Row), result: results[name as keyof typeof results] as z.ZodType },
  ]);
  const contributed = await contributedOperations(Object.keys(catalogue));
  return [...own, ...contributed.flatMap(({ value }) => Object.entries(value as Record<string, Row>))];
}

/** Whether a schema has a list whose length it does not fix, at the top or deeper. */
const hasList = (schema: JsonSchema): boolean =>
  /"type":"array"(?!,"prefixItems")/.test(JSON.stringify(z.toJSONSchema(schema as never, { unrepresentable: "any" })));

const listsAtTheTop = (schema: z.ZodType): boolean =>
  Object.values((schema as z.ZodObject).shape).some((each) => each instanceof z.ZodArray || each.type === "readonly");

it("every operation whose result has lists says what keeps them small", async () => {
  const wrong: string[] = [];
  for (const [name, { size, result }] of await everyOperation()) {
    if (!result) continue;
    const schema = await schemaFrom(result);
    if (hasList(schema as never) !== (size !== undefined)) wrong.push(`${name}: ${JSON.stringify(size)}`);
    if (typeof size === "string" && !listsAtTheTop(schema)) wrong.push(`${name}: no list at the top`);
  }
  expect(wrong).toEqual([]);
});

const MB = 1024 * 1024;

const things = definePlugin({
  id: "things",
  name: "Things",
  version: "1.0.0",
  scope: "host",
  operations: () => ({
    list_things: {
      size: "pages",
      readOnly: true,
      params: () => z.strictObject({ count: z.number(), length: z.number() }),
      result: () => z.strictObject({ seq: z.number(), things: z.array(z.string()), others: z.array(z.string()) }),
      run: ({ count, length }) => ({
        seq: 1,
        things: thingsOf("a", count, length),
        others: thingsOf("b", count, length),
      }),
    },
    remove_things: {
      size: "cut",
      params: () => z.strictObject({ count: z.number(), length: z.number() }),
      result: () => z.strictObject({ things: z.array(z.string()) }),
      run: ({ count, length }) => ({ things: thingsOf("a", count, length) }),
    },
  }),
});

const thingsOf = (letter: string, count: number, length: number) =>
  Array.from({ length: count }, (_, at) => `${letter}${at}`.padEnd(length, "."));

it("a page of a result ends after 8 MB or `limit`, and the next continues after the skipped items, also with several lists", async () => {
  using _home = testHome();
  await using t = await testHost(undefined, [], [things]);
  const read = async (page: { limit?: number; skip?: number }, length = 2) =>
    t.client.request("list_things", { count: 3, length, ...page });
  expect(await read({})).toEqual({ seq: 1, things: ["a0", "a1", "a2"], others: ["b0", "b1", "b2"] });
  expect(await read({ limit: 4 })).toEqual({ seq: 1, things: ["a0", "a1", "a2"], others: ["b0"], more: true });
  expect(await read({ limit: 4, skip: 4 })).toEqual({ seq: 1, things: [], others: ["b1", "b2"] });
  expect(await read({ skip: 9 })).toEqual({ seq: 1, things: [], others: [] });
  const sizes = async (length: number, skip: number) => {
    const { things, others, more } = await read({ skip }, length);
    return [things.length, others.length, more];
  };
  expect([await sizes(3 * MB, 0), await sizes(3 * MB, 2), await sizes(9 * MB, 3)]).toEqual([
    [2, 0, true],
    [1, 1, true],
    [0, 1, true],
  ]);
  await expect(read({ limit: 0 })).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
});

it("a result that is cut says how many items are missing", async () => {
  using _home = testHome();
  await using t = await testHost(undefined, [], [things]);
  const { things: named, leftOut } = await t.client.request("remove_things", { count: 5, length: 3 * MB });
  expect([named.length, leftOut]).toEqual([2, 3]);
  expect(await t.client.request("remove_things", { count: 1, length: 2 })).toEqual({ things: ["a0"] });
});

it("all pages are read, and read again when something has changed between two of them", async () => {
  using _home = testHome();
  await using t = await testHost(undefined, [], [things]);
  const asked: (number | undefined)[] = [];
  const all = await everyPage(async (page) => {
    asked.push(page.skip);
    const answer = await t.client.request("list_things", { count: 3, length: 2, limit: 4, ...page });
    return asked.length === 1 ? { ...answer, seq: 0 } : answer;
  });
  expect([all, asked]).toEqual([
    { seq: 1, things: ["a0", "a1", "a2"], others: ["b0", "b1", "b2"] },
    [undefined, 4, undefined, 4],
  ]);
});

it("an endless result is refused", async () => {
  const endless = everyPage(async () => ({ things: ["a"], more: true as const }));
  await expect(endless).rejects.toMatchObject({ code: "LINK_PAGES" });
  const empty = everyPage(async () => ({ things: [], more: true as const }));
  await expect(empty).rejects.toMatchObject({ code: "LINK_PAGES" });
});

it("the description of an operation includes the fields that the host adds", async () => {
  using _home = testHome();
  await using t = await testHost(undefined, [], [things]);
  const { operations: described } = await t.client.request("list_operations", {});
  const keysOf = (wanted: string) => {
    const { params, result } = described.find(({ name }) => name === wanted) ?? {};
    return [params, result].map((schema) => Object.keys(Object(schema?.properties)));
  };
  expect([keysOf("list_things"), keysOf("remove_things")]).toEqual([
    [
      ["count", "length", "limit", "skip"],
      ["seq", "things", "others", "more"],
    ],
    [
      ["count", "length"],
      ["things", "leftOut"],
    ],
  ]);
});
