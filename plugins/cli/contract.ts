import type { Awaitable } from "@scorel/kernel";

/** What a command gets: parsed arguments, and the process's own streams. */
export interface Invocation {
  /** Positional arguments after the command's name. */
  args: string[];
  /** Options by camelCase name. */
  options: Record<string, unknown>;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadStream;
  /** Where it is a terminal, what is written is shown as text: escape sequences and control characters are taken out. */
  stdout: NodeJS.WriteStream;
  /** The same stream for faces that move the cursor, and filter themselves what comes from elsewhere. */
  terminal?: NodeJS.WriteStream;
  /** Escape sequences and control characters are taken out. */
  stderr: NodeJS.WriteStream;
  /** The first interrupt (Ctrl-C) aborts it; a second one ends the process. */
  interrupt: AbortSignal;
}
export interface CliOption {
  /** As in help: `--output <format>`, `--trust`, `-p, --print <prompt>`. */
  flags: string;
  description: string;
  /** Allowed values, checked and shown. */
  values?: readonly string[];
  default?: string;
  repeatable?: boolean;
  /** Without a value it is the empty text, instead of an error. */
  mayBeEmpty?: boolean;
}
/** One command: `scorel <noun> [action] [args]`. The command with an empty noun is `scorel` itself. */
export interface CliCommand {
  noun: string;
  action?: string;
  /** Positional arguments as in help: `<id>`, `[filter]`. */
  args?: string;
  description: string;
  options?: readonly CliOption[];
  /** Returns the exit code. Throws coded errors: usage and configuration exit 2, others 1. */
  run(invocation: Invocation): Awaitable<number>;
}

/** What the process that runs a command was started with; given to the host kernel by the loader. */
export interface Launch extends Omit<Invocation, "args" | "options"> {
  version: string;
  /** Options that every command takes; the loader has acted on them already. */
  globalOptions: readonly CliOption[];
}

export interface CliService {
  /** Parses and runs; answers the exit code and has said what was wrong. */
  run(argv: readonly string[]): Promise<number>;
  /** The text of `--help`: the whole, that of one noun, or that of one of its commands. */
  help(noun?: string, action?: string): string;
}

declare module "@scorel/kernel" {
  interface Services {
    cli: CliService;
    launch: Launch;
  }
  interface Contributions {
    cliCommands: CliCommand[];
  }
}
