import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { trustCommands } from "./commands.ts";
import type {} from "./contract.ts";

/** Asks the user before files of a project are used, and lists and changes what is trusted (`scorel trust`). */
export default definePlugin({
  id: "trust",
  name: "Trust",
  version: "0.1.0",
  scope: "host",
  needs: ["trust"],
  provides: ["trustQuestion"],

  activate(ctx) {
    ctx.provide("trustQuestion", {
      ask: async (invocation) => (await import("./question.ts")).askAtStart(ctx.trust, invocation),
    });
  },

  cliCommands: ({ trust }) => trustCommands(trust),
});
