import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { pluginCommands } from "./commands.ts";
import type {} from "./contract.ts";

/** `scorel plugin`: creates an extension, lists all plugins, checks an extension, and sets up types for editors. */
export default definePlugin({
  id: "extensions",
  name: "Extensions",
  version: "0.1.0",
  scope: "host",
  needs: ["extensions"],

  activate(ctx) {
    const running = new Set<Promise<unknown>>();
    // Waits for running commands: an interrupted check or test removes its temporary folder.
    ctx.beforeStop(async () => void (await Promise.allSettled(running)));
    return { cliCommands: pluginCommands(ctx.extensions, running) };
  },
});
