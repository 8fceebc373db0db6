import { definePlugin } from "@scorel/kernel";
import type { Invocation } from "./contract.ts";
import { checkFolderOptions } from "./folder-options.ts";
import { helpText, printable } from "./help.ts";
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
    // Without a log, an invalid command would be left out silently.
    const tell = (flaw: Error) => {
      if (!told.has(flaw.message)) ctx.launch.stderr.write(`scorel: ${flaw.message}\n`);
      told.add(flaw.message);
    };
    ctx.provide(
      "cli",
      createCli(ctx.launch, () => ({
        commands: ctx.collect("cliCommands", createCheck(tell)),
        folders: ctx.collect("folderOptions", checkFolderOptions),
        sources: async () => {
          const { checkSources } = await import("./completion-values.ts");
          return ctx.collect("completionSources", checkSources).flatMap(({ value }) => value);
        },
      })),
    );
  },

  cliCommands: (ctx) => {
    const commands = () =>
      commandsOf({
        commands: ctx.collect("cliCommands", createCheck()),
        folders: ctx.collect("folderOptions", checkFolderOptions),
      });
    const scripts = (["bash", "zsh", "fish"] as const).map((shell) => ({
      noun: "completion",
      action: shell,
      description: `Print a script that completes commands in ${shell}`,
      run: async ({ stdout }: Invocation) => {
        const { completionScript } = await import("./completion.ts");
        stdout.write(completionScript(shell, commands(), ctx.launch.globalOptions));
        return 0;
      },
    }));
    const values = {
      noun: "completion",
      action: "values",
      args: "<kind>",
      description: "Print the values of a kind, such as the ids of sessions, which these scripts offer",
      run: async (invocation: Invocation) => {
        const { checkSources, printValues } = await import("./completion-values.ts");
        return printValues(ctx.collect("completionSources", checkSources), invocation);
      },
    };
    return [
      {
        noun: "help",
        args: "[command] [action]",
        description: "Show the help of Scorel or of a command, as --help does",
        options: [{ flags: "--all", description: "Describe the actions of all commands" }],
        run: async ({ args: [noun, action], options, stdout }) => {
          const known = commands();
          if (noun !== undefined && !known.some((command) => command.noun === noun))
            throw (await import("./meant.ts")).unknownCommand(noun, known);
          stdout.write(printable(helpText(known, ctx.launch, noun, action, options.all === true), stdout));
          return 0;
        },
      },
      ...scripts,
      values,
    ];
  },
});
