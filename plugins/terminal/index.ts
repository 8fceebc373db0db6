import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { config } from "./config.ts";
import type {} from "./contract.ts";

/** Plugin `terminal`: the full-screen conversation of a person at a terminal. */
export default definePlugin({
  id: "terminal",
  name: "Terminal",
  version: "0.1.0",
  scope: "host",
  config,
  provides: ["terminal"],

  activate(ctx) {
    ctx.provide("terminal", {
      suits: ({ stdin, stdout, env }) =>
        stdin.isTTY === true && stdout.isTTY === true && (env.TERM ?? "") !== "dumb" && env.TERM !== undefined,
      run: async (start) => (await import("./app/run.ts")).runTerminal(ctx, start),
    });
  },
});
