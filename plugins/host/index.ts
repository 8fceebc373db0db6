import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/logs/contract";
import { sessionCommands } from "./commands/session-commands.ts";
import { createHost, type LocalHost } from "./host.ts";

export default definePlugin({
  id: "host",
  name: "Host",
  version: "0.1.0",
  scope: "host",
  needs: ["composition", "logs"],
  provides: ["host"],

  activate(ctx) {
    const host = createHost({ composition: ctx.composition, logs: ctx.logs, logger: ctx.logger });
    ctx.provide("host", host);
    ctx.beforeStop(() => host.sessions.closeAll());
  },

  cliCommands: (ctx) => sessionCommands(() => ctx.find("host") as LocalHost),
});
