import { defineErrors } from "@scorel/kernel";

const hint = (nearest: string | undefined) => (nearest === undefined ? "" : ` Did you mean "${nearest}"?`);
const commandsHint = (meant: readonly string[]) => ` Did you mean ${meant.map((each) => `\`${each}\``).join(" or ")}?`;

function aboutCommand(a: {
  nearest: string | undefined;
  meant?: readonly string[];
  reason?: string | undefined;
}): string {
  if (a.reason !== undefined) return ` ${a.reason}`;
  if (a.meant?.length) return commandsHint(a.meant);
  return a.nearest === undefined ? ' To send a prompt: scorel -p "…", or start scorel and type it.' : hint(a.nearest);
}

export const errors = defineErrors({
  PROCESS_UNEXPECTED: (a: { reason: string }) =>
    `An unhandled error ended the process: ${a.reason.replace(/\.$/, "")}. All messages are in the sessions' logs; run \`scorel --continue\` to continue.`,
  CLI_UNKNOWN_COMMAND: {
    exit: 2,
    text: (a: {
      command: string;
      nearest: string | undefined;
      meant?: readonly string[];
      /** A sentence for a command of other tools that Scorel has under no other name: why, or what to do instead. */
      reason?: string | undefined;
      takesPrompt?: boolean;
    }) =>
      `There is no command "${a.command}".${aboutCommand(a)}${a.takesPrompt ? ` To send it as a prompt: scorel -- ${a.command}` : ""}${a.takesPrompt ? ". " : " "}\`scorel --help\` lists all commands.`,
  },
  CLI_FAILED_COMMAND: {
    exit: 2,
    text: (a: { command: string; files: readonly string[] }) =>
      `There is no command "${a.command}". It may belong to an extension that failed: ${a.files.join(", ")}. \`scorel plugin list\` says why. To send it as a prompt: scorel -- ${a.command}`,
  },
  CLI_UNKNOWN_ACTION: {
    exit: 2,
    text: (a: { noun: string; action: string; nearest: string | undefined; meant?: readonly string[] }) =>
      `"scorel ${a.noun}" has no action "${a.action}".${a.meant?.length ? commandsHint(a.meant) : hint(a.nearest)} \`scorel ${a.noun} --help\` lists them all.`,
  },
  CLI_MISSING_ACTION: {
    exit: 2,
    text: (a: { noun: string; actions: readonly string[] }) =>
      `"scorel ${a.noun}" needs an action: ${a.actions.join(", ")}.`,
  },
  CLI_UNKNOWN_OPTION: {
    exit: 2,
    text: (a: { option: string; command: string; nearest: string | undefined }) =>
      `"${a.command}" has no option "${a.option}".${a.nearest === undefined ? ` \`${a.command} --help\` lists them all.` : hint(a.nearest)}`,
  },
  CLI_OPTION_OF_WORDS: {
    exit: 2,
    text: (a: { option: string; command: string }) =>
      `"${a.command}" has no option "${a.option}". If it belongs to the command that follows, put -- before that.`,
  },
  CLI_MISSING_VALUE: {
    exit: 2,
    text: (a: { option: string; value: string }) => `The option "${a.option}" needs a value: ${a.value}.`,
  },
  CLI_COMPLETION_KIND: {
    exit: 2,
    text: (a: { kind: string; kinds: readonly string[] }) =>
      `There are no values of the kind "${a.kind}". Kinds: ${a.kinds.join(", ")}.`,
  },
  CLI_UNEXPECTED_VALUE: { exit: 2, text: (a: { option: string }) => `The option "${a.option}" takes no value.` },
  CLI_INVALID_VALUE: {
    exit: 2,
    text: (a: { option: string; value: string; values: readonly string[]; nearest: string | undefined }) =>
      `"${a.option}" does not accept "${a.value}". Use one of: ${a.values.join(", ")}.${hint(a.nearest)}`,
  },
  CLI_CONFLICT: {
    exit: 2,
    text: (a: { option: string; means: string; given: string }) =>
      `${a.option} means ${a.means}, so it cannot be combined with ${a.given}. Use only one of them.`,
  },
  CLI_REPEATED: {
    exit: 2,
    text: (a: { option: string; first: string; second: string }) =>
      `"${a.option}" takes one value, but was given two: ${JSON.stringify(a.first)} and ${JSON.stringify(a.second)}. Leave one of them out.`,
  },
  CLI_MISSING_ARGUMENT: {
    exit: 2,
    text: (a: { command: string; argument: string }) => `"${a.command}" needs ${a.argument}.`,
  },
  CLI_UNEXPECTED_ARGUMENT: {
    exit: 2,
    text: (a: { command: string; argument: string }) =>
      `"${a.command}" takes no argument "${a.argument}". Quote text that contains spaces.`,
  },
  CLI_COMMANDS: {
    exit: 2,
    text: (a: { plugin: string }) =>
      `"cliCommands" of plugin "${a.plugin}" must return a list of commands, each with a "noun" and a function "run".`,
  },
  CLI_EXIT_CODE: (a: { command: string; plugin: string; returned: string }) =>
    `"${a.command}" of plugin "${a.plugin}" ran, but "run" returned ${a.returned} as its exit code. Return an integer from 0 to 255, where 0 means success.`,
  CLI_DUPLICATE_COMMAND: {
    exit: 2,
    text: (a: { command: string; plugin: string; owner: string }) =>
      `Plugin "${a.plugin}" contributes the command "${a.command}", which plugin "${a.owner}" already has; it is left out. Give it another name.`,
  },
});
