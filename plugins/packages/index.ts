import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { extensionCommands, presetCommands } from "./commands/commands.ts";
import type {} from "./contract.ts";

/** Installs presets and extensions that others made: shows what they would run, and reports when an installed file has changed. */
export default definePlugin({
  id: "packages",
  name: "Packages",
  version: "0.1.0",
  scope: "host",
  needs: ["presetStore", "extensionStore"],
  provides: ["archives"],

  activate(ctx) {
    const { presetStore, extensionStore, signal } = ctx;
    const running = new Set<Promise<unknown>>();
    // Waits for running commands: an interrupted installation removes what it has fetched.
    ctx.beforeStop(async () => void (await Promise.allSettled(running)));
    ctx.provide("archives", {
      unpack: async (...given) => (await import("./archive/archive.ts")).unpack(...given),
      copy: async (...given) => (await import("./sources/folder.ts")).copyFolder(...given),
    });
    return {
      cliCommands: [
        ...presetCommands(presetStore, { signal, running }),
        ...extensionCommands(extensionStore, { signal, running }),
      ],
    };
  },
});
