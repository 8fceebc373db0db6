import type { SessionView } from "@scorel/host/client";
import { expect, it } from "vitest";
import { openList, todoPanel } from "../../../plugins/terminal/app/todos.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";

const theme: Theme = { name: "none", style: (_role, text) => text };
const list = (...states: readonly string[]) => ({
  active: true,
  type: "message",
  display: {
    display: "list",
    title: "Todos",
    text: "",
    items: states.map((state, at) => ({ text: `step ${at}`, state })),
  },
});
const said = { active: true, type: "message", display: { display: "bubble", role: "assistant", text: "Done." } };
const panel = (...rows: readonly object[]) => {
  const open = openList({ rows } as unknown as SessionView);
  return open && todoPanel(open, 40, theme);
};

it("the todo list is shown in a panel, as the model has written it last, until all of it is done", () => {
  const first = list("active", "open");
  expect([
    panel(first, said),
    panel(first, said, list("done", "active")),
    panel(first, list("done", "done"), said),
    panel(list("done", ...Array.from({ length: 8 }, () => "open"))),
    panel({ ...first, active: false }),
  ]).toEqual([
    ["Todos 0/2", "▶ step 0", "☐ step 1"],
    ["Todos 1/2", "▶ step 1"],
    undefined,
    ["Todos 1/9", ...[1, 2, 3, 4, 5, 6].map((at) => `☐ step ${at}`), "  + 2"],
    undefined,
  ]);
});
