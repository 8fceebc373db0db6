import { expect, it } from "vitest";
import { operations } from "../../../plugins/worktrees/operations.ts";
import { repository } from "./repository.ts";

const refused = async () => {
  throw Object.assign(new Error("there is no such operation"), { code: "HOST_OPERATION_UNKNOWN" });
};

it("all operations take the name of a worktree's branch for its own name", async () => {
  const r = repository();
  const { create_worktree, merge_worktree, remove_worktree } = operations({
    find: () => undefined,
    onDispose: (dispose) => dispose,
  });
  const [params, context] = [{ cwd: r.root, name: "scorel/login" }, { request: refused } as never];
  const created = { name: "login", branch: "scorel/login", path: r.path(".scorel-worktrees/login") };
  for (const run of [merge_worktree.run, remove_worktree.run]) {
    expect(await create_worktree.run(params)).toMatchObject({ worktree: { ...created, created: true } });
    expect(await create_worktree.run(params)).toMatchObject({ worktree: { ...created, created: false } });
    expect(await run(params, context)).toEqual({ text: expect.stringContaining("removed") });
    expect(r.has(".scorel-worktrees/login")).toBe(false);
  }
});
