import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { completionsOf } from "../../../plugins/host/commands/session-views.ts";
import type { SessionSummary } from "../../../plugins/host/contract.ts";
import { listed } from "../../../plugins/host/places.ts";

const row = (sessionId: string, cwd: string, parent?: string): SessionSummary => ({
  ...{ sessionId, cwd, createdAt: 0, updatedAt: 0, title: "", path: "" },
  ...(parent !== undefined && { parent: { sessionId: parent } as never, kind: "subagent" }),
});

it("a child of a session is listed in its parent's directory, wherever the child itself works", () => {
  const sessions = [
    row("own", "/shop"),
    row("child", "/shop/.scorel-worktrees/a", "own"),
    row("grandchild", "/shop/.scorel-worktrees/b", "child"),
    row("stranger", "/shop/.scorel-worktrees/c"),
    row("loop", "/else", "loop"),
    row("orphan", "/else", "gone"),
  ];
  const ids = (wanted: object) =>
    listed(sessions, undefined, { cwd: "/shop", from: "/shop", ...wanted }).map(({ sessionId }) => sessionId);
  expect([ids({ children: true }), ids({})]).toEqual([["own", "child", "grandchild"], ["own"]]);
});

it("shells offer a session by its name, or else by its title", async () => {
  const cwd = realpathSync(tmpdir());
  const named = { ...row("a", cwd), title: "first words", name: "a new name" };
  const list = () => [named, { ...row("b", cwd), title: "other words" }];
  const sessions = { parent: { find: () => undefined }, shelf: { list } };
  expect(await completionsOf(sessions as never, cwd)).toEqual([
    { value: "a", description: "a new name" },
    { value: "b", description: "other words" },
  ]);
});
