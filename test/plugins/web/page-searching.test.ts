import type { Hit } from "@scorel/search/contract";
import { expect, it } from "vitest";
import { type Search, withMore } from "../../../plugins/web/page/search/searching.ts";

const PAGE = 30;

const hit = (sessionId: string, eventId: string): Hit => ({
  ...{ sessionId, eventId, title: "A title", cwd: "/one", updatedAt: 1, ts: 1, who: "user", text: "some words" },
});

/** A host with these matches, which refuses the requests with these numbers. */
function hostWith(all: readonly Hit[], refused: readonly number[] = []) {
  let count = 0;
  const request = async (_operation: string, { skip = 0, limit = 0 }: { skip?: number; limit?: number }) => {
    if (refused.includes(++count)) throw new Error("busy");
    return { hits: all.slice(skip, skip + limit), more: all.length > skip + limit };
  };
  return { request } as never;
}

const nothing: Search = { wanted: "words", hits: [], pages: 0, hasMore: false };

it("a page of results that the host refuses is asked for again, and then nothing is said of the refusal", async () => {
  const all = Array.from({ length: 2 * PAGE + 1 }, (_, n) => hit("s1", `e${n}`));
  const host = hostWith(all, [2]);
  const first = await withMore(host, nothing);
  const refused = await withMore(host, first);
  expect(refused).toEqual({ ...first, error: new Error("busy") });
  const second = await withMore(host, refused);
  expect(second).toEqual({ wanted: "words", hits: all.slice(0, 2 * PAGE), pages: 2, hasMore: true });
  expect(await withMore(host, second)).toEqual({ wanted: "words", hits: all, pages: 3, hasMore: false });
});

it("matches in the copy of a session, whose events have the same ids, are shown", async () => {
  const all = ["original", "copy"].flatMap((id) => Array.from({ length: PAGE }, (_, n) => hit(id, `e${n}`)));
  const host = hostWith(all);
  expect((await withMore(host, await withMore(host, nothing))).hits).toEqual(all);
});
