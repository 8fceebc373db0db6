import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { commandsOf, createCheck, createCli } from "./service.ts";

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
      createCli(ctx.launch, () => ctx.collect("cliCommands", createCheck())),
    );
  },

  cliCommands: (ctx) =>
    (["bash", "zsh", "fish"] as const).map((shell) => ({
      noun: "completion",
      action: shell,
      description: `Print a script that completes commands in ${shell}`,
      run: async ({ stdout }) => {
        const { completionScript } = await import("./completion.ts");
        stdout.write(
          completionScript(shell, commandsOf(ctx.collect("cliCommands", createCheck())), ctx.launch.globalOptions),
        );
        return 0;
      },
    })),
});
