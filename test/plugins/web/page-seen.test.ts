import { afterEach, expect, it, vi } from "vitest";
import { isUnread, looked, type Seen, SeenStore, seenIn } from "../../../plugins/web/page/waiting/seen.ts";

const row = (sessionId: string, updatedAt: number, running?: boolean) => ({
  ...{ sessionId, cwd: "/a", createdAt: 0, updatedAt, title: "", path: "" },
  ...(running !== undefined && { running }),
});

afterEach(() => void vi.unstubAllGlobals());

it("in a new browser everything counts as seen, however many sessions there are", () => {
  vi.stubGlobal("addEventListener", () => {});
  const store = new SeenStore("box");
  store.begin(Array.from({ length: 200_000 }, (_, at) => row(`s${at}`, at)));
  expect(store.get()).toEqual({ since: 199_999, sessions: {} });
});

it("a session is unread when something came since it was looked at, and no turn runs", () => {
  const seen: Seen = { since: 100, sessions: { a: 200 } };
  const rows = [row("a", 200), row("a", 201), row("a", 201, true), row("a", 201, false), row("b", 100), row("b", 101)];
  expect(rows.map((each) => isUnread(each, seen))).toEqual([false, true, false, true, false, true]);
});

it("looking only goes forward", () => {
  const seen = looked({ since: 100, sessions: { a: 200 } }, "a", 150);
  expect([seen, looked(seen, "b", 300)]).toEqual([
    { since: 100, sessions: { a: 200 } },
    { since: 100, sessions: { a: 200, b: 300 } },
  ]);
});

it("the sessions that were looked at first are not stored one by one any more, and do not become unread by that", () => {
  let seen: Seen = { since: 0, sessions: {} };
  for (let at = 1; at <= 1_000; at++) seen = looked(seen, `s${at}`, at);
  expect([seen.since, Object.keys(seen.sessions).length]).toEqual([800, 200]);
  expect(Array.from({ length: 1_000 }, (_, at) => isUnread(row(`s${at + 1}`, at + 1), seen)).filter(Boolean)).toEqual(
    [],
  );
});

it("stored data of another form counts as nothing", () => {
  const texts = [null, "", "{", "[]", '{"since":"1","sessions":{}}', '{"since":1,"sessions":{"a":"b"}}'];
  expect(texts.map(seenIn)).toEqual(texts.map(() => undefined));
  expect(seenIn('{"since":1,"sessions":{"a":2}}')).toEqual({ since: 1, sessions: { a: 2 } });
});
