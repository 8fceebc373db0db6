import type {} from "@scorel/cli/contract";
import type {} from "@scorel/commands/contract";
import { definePlugin } from "@scorel/kernel";
import { DELETED, historyCommands } from "./commands.ts";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";
import { trashCommand, treeCommands } from "./slash-commands.ts";

/** Plugin `history`: moves within a session's tree, and manages names, copies and the trash. */
export default definePlugin({
  id: "history",
  name: "History",
  version: "0.1.0",
  scope: "host",
  provides: ["history"],

  activate(ctx) {
    ctx.provide("history", {
      point: async (session, eventId) => (await import("./point.ts")).point(session, eventId),
    });
  },

  operations: () => operations,
  commands: () => ({ ...treeCommands(), restore: trashCommand }),
  cliCommands: (ctx) => historyCommands(() => ctx.find("host")),
  completionSources: (ctx) => [
    {
      kind: DELETED,
      latest: async () => (await import("./deleted-sessions.ts")).latestDeleted(ctx.find("host")),
      values: async () => (await import("./deleted-sessions.ts")).deletedSessions(ctx.find("host")),
    },
  ],
});
