import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { createCli } from "./service.ts";

/** The command line: finds the command among those that plugins contribute, reads its options, runs it. */
export default definePlugin({
  id: "cli",
  name: "Command line",
  version: "0.1.0",
  scope: "host",
  needs: ["launch"],
  provides: ["cli"],

  activate(ctx) {
    ctx.provide(
      "cli",
      createCli(ctx.launch, () => ctx.collect("cliCommands")),
    );
  },
});
