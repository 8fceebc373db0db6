import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { worktreeCommands, worktreeOption } from "./commands.ts";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";
import { worktrees } from "./service.ts";

/** Plugin `worktrees`: git worktrees for sessions and subagents. */
export default definePlugin({
  id: "worktrees",
  name: "Worktrees",
  version: "0.1.0",
  scope: "host",
  provides: ["worktrees"],

  activate(ctx) {
    ctx.provide("worktrees", worktrees);
  },

  operations: (ctx) => operations(ctx),
  cliCommands: (ctx) => worktreeCommands(ctx),
  folderOptions: (ctx) => [worktreeOption(ctx)],
});
