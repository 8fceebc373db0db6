import type { CliCommand } from "@scorel/cli/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";
import { kinds } from "./commands/kinds.ts";
import type { ExtensionsService } from "./contract.ts";

/** `scorel plugin new|list|check|test|types`. `running` holds the commands that the process waits for when it ends. */
export function pluginCommands(extensions: ExtensionsService, running: Set<Promise<unknown>>): CliCommand[] {
  return commands(extensions).map((command) => ({
    ...command,
    run: async (invocation) => {
      const ended = Promise.resolve(command.run(invocation));
      running.add(ended);
      return ended.finally(() => running.delete(ended));
    },
  }));
}

function commands(extensions: ExtensionsService): CliCommand[] {
  return [
    {
      noun: "plugin",
      synonyms: ["extension", "extensions"],
      action: "new",
      args: "<name>",
      description: "Create an extension: a small working file and its test",
      options: [
        { flags: "--kind <kind>", description: "The kind of extension", values: kinds, default: "tool" },
        { flags: "--global", description: "In ~/.scorel/extensions instead of the project's" },
      ],
      run: async (invocation) => (await import("./commands/new.ts")).begin(extensions, invocation),
    },
    {
      noun: "plugin",
      action: "list",
      description: "List plugins and extensions: where they come from, whether they are loaded, what they do",
      options: [outputOption],
      run: async (invocation) => (await import("./commands/list.ts")).list(extensions, invocation),
    },
    {
      noun: "plugin",
      action: "check",
      args: "<path>",
      description: "Check an extension without running it; exits 1 if there is a problem",
      options: [
        { flags: "--load", description: "Also load it, in a process with an empty home and no keys" },
        {
          flags: "--config <key=value>",
          description: "With --load: a configuration key; the value is JSON, or else a text",
          repeatable: true,
        },
      ],
      run: async (invocation) => (await import("./commands/check.ts")).check(extensions, invocation),
    },
    {
      noun: "plugin",
      action: "test",
      args: "[path]",
      description: "Run the tests of an extension, in a process with an empty home and no keys",
      run: async (invocation) => (await import("./commands/test.ts")).runTests(extensions, invocation),
    },
    {
      noun: "plugin",
      action: "types",
      args: "[dir]",
      description: "Write a tsconfig.json, so that editors know the types of everything that an extension may use",
      options: [{ flags: "--global", description: "In ~/.scorel/extensions" }],
      run: async (invocation) => (await import("./commands/tsconfig.ts")).writeTsconfig(extensions, invocation),
    },
  ];
}
