import type { CliOption } from "@scorel/cli/contract";
import { sessionFlags } from "@scorel/host/command-line";
import type { KnownSessionOptions, SessionOption } from "@scorel/host/contract";

/** Options that only work with `-p`, by the key of their parsed value. */
export const printOnly: Readonly<Record<string, CliOption>> = {
  output: { flags: "--output <format>", description: "What goes to stdout", values: ["text", "json", "events"] },
  outputSchema: { flags: "--output-schema <file>", description: "The answer is JSON that matches this JSON schema" },
  image: { flags: "--image <file>", description: "Attach an image to the prompt", repeatable: true },
  maxRounds: { flags: "--max-rounds <n>", description: "Stop after this many model calls" },
  maxCost: { flags: "--max-cost <usd>", description: "Stop when this much has been spent" },
  timeout: { flags: "--timeout <seconds>", description: "Stop after this time" },
  ifBusy: {
    flags: "--if-busy <what>",
    description: "If a turn is running in the session: queue the prompt behind it (default), or refuse it",
    values: ["queue", "refuse"],
  },
  noSession: { flags: "--no-session", description: "Keep the session in memory only" },
  fork: {
    flags: "--fork <id>",
    description: "Continue a copy of this session; <id>@<event>: a copy up to that event",
    completes: "session",
  },
};

/** The options of the command `scorel` that are about its prompt. */
const ownOptions: readonly CliOption[] = [
  {
    flags: "-p, --print <prompt>",
    description: "Answer one prompt and exit; piped input is appended, or is the prompt; @file attaches a file",
    // For `git log | scorel -p`, where the prompt is piped.
    mayBeEmpty: true,
    once: true,
  },
  ...Object.values(printOnly).map((option) => ({ ...option, description: `With -p: ${lowered(option.description)}` })),
];

/** Returns the options that sessions opened by the command `scorel` can have. */
export function sessionOptions(options: KnownSessionOptions): readonly SessionOption[] {
  return options.known(ownOptions);
}

/** Returns the options of the command `scorel`. */
export function optionsOf(options: KnownSessionOptions): CliOption[] {
  return [...ownOptions, ...sessionFlags(sessionOptions(options))];
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
