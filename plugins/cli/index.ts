import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { commandsOf, createCheck, createCli } from "./service.ts";

/** Plugin `cli`: finds the command among those that plugins contribute, parses its options and runs it. */
export default definePlugin({
  id: "cli",
  name: "Command line",
  version: "0.1.0",
  scope: "host",
  needs: ["launch"],
  provides: ["cli"],

  activate(ctx) {
    const told = new Set<string>();
    // Nothing else would report a command that was left out.
    const tell = (flaw: Error) => {
      if (!told.has(flaw.message)) ctx.launch.stderr.write(`scorel: ${flaw.message}\n`);
      told.add(flaw.message);
    };
    ctx.provide(
      "cli",
      createCli(ctx.launch, () => ctx.collect("cliCommands", createCheck(tell))),
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
