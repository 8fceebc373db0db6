import { expect, it } from "vitest";
import { surplus } from "../../../plugins/web/page/host/kept.ts";
import { listsIn, textOf } from "../../../plugins/web/page/host/kept-lists.ts";

const DEVICE = "http://127.0.0.1:7777/";
const projects = [{ projectId: "p1", name: "one", directory: "/work/one" }];
const session = {
  ...{ sessionId: "s1", cwd: "/work/one", title: "Hello", path: "/logs/s1.jsonl" },
  ...{ createdAt: 1, updatedAt: 2, messages: 2 },
};
const rights = { write: true, answer: false, manage: false };

it("keeps the newest entries that are few, small and young enough", () => {
  const entry = (key: string, at: number, characters = 10) => ({ key, at, characters });
  const limits = { entries: 2, one: 100, all: 100, age: 1_000 };
  const left = (...all: unknown[]) => surplus(all, limits, 5_000);
  expect(left(entry("a", 4_900), entry("b", 4_800))).toEqual([]);
  expect(left(entry("a", 4_700), entry("b", 4_900), entry("c", 4_800))).toEqual(["a"]);
  expect(left(entry("a", 4_900, 60), entry("b", 4_800, 60))).toEqual(["b"]);
  expect(left(entry("a", 4_900), entry("b", 3_000))).toEqual(["b"]);
  expect(left({ key: 1 }, undefined, entry("a", 4_900))).toEqual([]);
});

it("reads the lists that it has written, without what holds only for a moment", () => {
  const running = { ...session, running: true, questions: ["select" as const] };
  const text = textOf({ projects: projects as never, sessions: [running], rights }, DEVICE);
  expect(listsIn(text, DEVICE)).toEqual({ projects, sessions: [session], rights });
});

it("takes no lists of another host, of another form, or that something has damaged", () => {
  const text = textOf({ projects: projects as never, sessions: [session], rights }, DEVICE);
  const entry = JSON.parse(text);
  const wrong = [
    text.slice(0, -5),
    "null",
    "[]",
    JSON.stringify({ ...entry, form: 99 }),
    JSON.stringify({ ...entry, projects: [{ projectId: 1 }] }),
    JSON.stringify({ ...entry, sessions: [{ ...session, title: { toString: 1 } }] }),
    JSON.stringify({ ...entry, sessions: [null] }),
  ];
  expect(wrong.map((each) => listsIn(each, DEVICE))).toEqual(wrong.map(() => undefined));
  expect(listsIn(text, "http://127.0.0.1:8888/")).toBeUndefined();
});
