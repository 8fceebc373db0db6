import { expect, it } from "vitest";
import { branchesOf } from "../../../../plugins/kit/session/branches.ts";

const row = (id: string, parentId: string | null, label: string, active = true) => ({ id, parentId, label, active });

const partsOf = (rows: Parameters<typeof branchesOf>[0]) =>
  branchesOf(rows).map(({ rows, reply, ...rest }) => ({
    messages: rows.map(({ id }) => id),
    reply: reply?.id,
    ...rest,
  }));

it("the branches of a conversation are its parts between branch points, each with its latest reply", () => {
  const rows = [
    row("ask", null, "user"),
    row("calls", "ask", "assistant"),
    row("read", "calls", "Read"),
    row("answer", "read", "assistant"),
    row("retry 1", "answer", "user", false),
    row("answer 1", "retry 1", "assistant", false),
    row("retry 2", "answer", "user"),
    { ...row("cut", "retry 2", "assistant"), beside: true as const },
    row("answer 2", "retry 2", "assistant"),
    row("unanswered", "answer 2", "user"),
  ];
  const [shared, left, here] = [
    { messages: ["ask"], reply: "answer", depth: 0, leafId: "unanswered" },
    { messages: ["retry 1"], reply: "answer 1", depth: 1, leafId: "answer 1" },
    { messages: ["retry 2", "unanswered"], reply: "answer 2", depth: 1, leafId: "unanswered" },
  ];
  expect(partsOf(rows)).toEqual([
    { ...shared, active: true, current: false },
    { ...left, active: false, current: false },
    { ...here, active: true, current: true },
  ]);
});

it("a branch may begin with another reply to the same message", () => {
  const rows = [
    row("ask", null, "user"),
    row("calls", "ask", "assistant"),
    row("read", "calls", "Read"),
    row("answer", "read", "assistant", false),
    row("more", "answer", "user", false),
    row("instead", "read", "user"),
  ];
  expect(partsOf(rows)).toEqual([
    { messages: ["ask"], reply: "calls", depth: 0, leafId: "instead", active: true, current: false },
    { messages: ["answer", "more"], reply: "answer", depth: 1, leafId: "more", active: false, current: false },
    { messages: ["instead"], reply: undefined, depth: 1, leafId: "instead", active: true, current: true },
  ]);
});

it("what was undone is a part of its own, also if nothing was said instead", () => {
  const rows = [
    row("ask", null, "user"),
    row("answer", "ask", "assistant"),
    row("undone", "answer", "user", false),
    row("too", "undone", "assistant", false),
  ];
  expect(partsOf(rows)).toEqual([
    { messages: ["ask"], reply: "answer", depth: 0, leafId: "too", active: true, current: true },
    { messages: ["undone"], reply: "too", depth: 0, leafId: "too", active: false, current: false },
  ]);
});
