import { expect, it } from "vitest";
import { placeOfChosen } from "../../../plugins/web/page/app/commands.ts";
import { neighbour } from "../../../plugins/web/page/app/neighbours.ts";
import type { ProjectRow } from "../../../plugins/web/page/host/session-list.ts";

const row = (sessionId: string, more: object = {}) => ({
  ...{ sessionId, title: sessionId, cwd: "/one", path: "", createdAt: 0, updatedAt: 0, ...more },
});
const project = (id: string, ...sessions: ProjectRow["sessions"]): ProjectRow => ({
  ...{ id, name: id, directory: `/${id}`, sessions },
});

it("the keys for the next and the previous session leave out archived ones, which are not listed", () => {
  const projects = [
    project("one", row("a"), row("old", { archived: true }), row("asking", { archived: true, questions: [{}] })),
    project("two", row("b"), row("last", { archived: true })),
  ];
  const from = (sessionId: string) => [1, -1].map((by) => neighbour(projects, { at: "session", sessionId }, by));
  expect(from("a")).toEqual(["asking", "b"]);
  expect(from("asking")).toEqual(["b", "a"]);
  expect(from("old")).toEqual(["asking", "a"]);
  expect([1, -1].map((by) => neighbour(projects, { at: "home" }, by))).toEqual(["a", "b"]);
  expect(neighbour([project("none")], { at: "home" }, 1)).toBeUndefined();
});

it("the chosen command stays chosen when others come before it, and the first one is chosen when it has gone", () => {
  const list = ["a", "b"].map((id) => ({ id }));
  expect(placeOfChosen(list, "b")).toBe(1);
  expect(placeOfChosen([{ id: "new" }, ...list], "b")).toBe(2);
  expect([placeOfChosen(list, "gone"), placeOfChosen(list, undefined), placeOfChosen([], "a")]).toEqual([0, 0, 0]);
});
