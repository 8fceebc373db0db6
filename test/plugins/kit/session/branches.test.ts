import { expect, it } from "vitest";
import { branchesOf } from "../../../../plugins/kit/session/branches.ts";

const row = (id: string, parentId: string | null, label: string, active = true) => ({ id, parentId, label, active });

it("the branches of a conversation are its messages in the order of the tree, each with its latest reply", () => {
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
  const found = branchesOf(rows).map(({ row, reply, ...rest }) => ({ message: row.id, reply: reply?.id, ...rest }));
  expect(found).toEqual([
    { message: "ask", reply: "answer", depth: 0, leafId: "unanswered", active: true },
    { message: "retry 1", reply: "answer 1", depth: 1, leafId: "answer 1", active: false },
    { message: "retry 2", reply: "answer 2", depth: 1, leafId: "unanswered", active: true },
    { message: "unanswered", reply: undefined, depth: 1, leafId: "unanswered", active: true },
  ]);
});
