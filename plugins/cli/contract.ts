import type { Awaitable } from "@scorel/kernel";

/** The argument of a command's `run`: its parsed arguments and the process's streams. */
export interface Invocation {
  /** Positional arguments after the command's name. */
  args: string[];
  /** Options by camelCase name. */
  options: Record<string, unknown>;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadStream;
  /** In a terminal, escape sequences and control characters are removed from the output. */
  stdout: NodeJS.WriteStream;
  /** Unfiltered stdout, for clients that move the cursor. They must filter untrusted text themselves. */
  terminal?: NodeJS.WriteStream;
  /** Escape sequences and control characters are removed from the output. */
  stderr: NodeJS.WriteStream;
  /**
   * Aborts on the first interrupt (Ctrl-C) or other signal that ends a process; a second one ends the process. Also aborts when the output
   * is closed, with a reason whose `code` is `OUTPUT_CLOSED`.
   */
  interrupt: AbortSignal;
}
/** An option of a command. */
export interface CliOption {
  /** As shown in help: `--output <format>`, `--trust`, `-p, --print <prompt>`. */
  flags: string;
  description: string;
  /** Allowed values, checked and shown in help. */
  values?: readonly string[];
  /** The `kind` of the completion source whose values a shell suggests for this option, such as `session`. */
  completes?: string;
  default?: string;
  /** Whether the option may be given several times; its value is then an array. */
  repeatable?: boolean;
  /**
   * Whether different values are refused if the option is repeated, as for a text that would be lost. By default the last value counts, so
   * that a line can override options of an alias.
   */
  once?: boolean;
  /** Without a value, the option is "" instead of an error. */
  mayBeEmpty?: boolean;
  /** Makes the option a short form of another option with this value, such as `--permission full`. Refused together with another value. */
  means?: { option: string; value: string };
  /** The plugin that contributed the option, if it is not the plugin of the command. */
  plugin?: string;
}
/** An option of the commands that open a session, which chooses the folder that the session works in. */
export interface FolderOption extends CliOption {
  /** Returns the folder for the option's value ("" without a value). Errors are printed, and the command does not run then. */
  enter(value: string, invocation: Invocation): Promise<string>;
  /** Called with that folder after the command has ended, for example to tell the user which files are left there. */
  leave?(folder: string, invocation: Invocation): Promise<void>;
}
/** A value that shells offer, with a few words about it. */
export interface Completion {
  value: string;
  description?: string;
}
/** Lists the values of a kind, such as the ids of sessions, for completion in shells. */
export interface CompletionSource {
  /** The word that options and commands name in `completes`. */
  kind: string;
  /**
   * Returns the value for which `latest` stands where a command or an option expects a value of this kind; throws if there is none.
   * Without this function, `latest` has no special meaning.
   */
  latest?(invocation: Pick<Invocation, "cwd">): Awaitable<string>;
  /** Called each time the user presses Tab, in the user's current directory. */
  values(invocation: Pick<Invocation, "cwd" | "interrupt">): Awaitable<readonly Completion[]>;
}
/** A command: `scorel <noun> [action] [args]`. An empty noun stands for `scorel` itself. */
export interface CliCommand {
  noun: string;
  /** Other words for the noun that users may type. The error for such a word names the noun. */
  synonyms?: readonly string[];
  action?: string;
  /** Other words for the action that users may type, with the action that the error names, such as `{ restart: "serve --replace" }`. */
  otherActions?: Readonly<Record<string, string>>;
  /** Positional arguments as shown in help: `<id>`, `[filter]`. */
  args?: string;
  /** The `kind` of the completion source whose values a shell suggests for the first argument, such as `session`. */
  completes?: string;
  description: string;
  options?: readonly CliOption[];
  /** Whether the command opens a session in its `cwd`, so that the `folderOptions` of all plugins are added to its options. */
  opensSession?: boolean;
  /**
   * `false` for a command whose result does not depend on the project of a session that it opens. The user is then not told that the project
   * is not trusted.
   */
  usesProject?: false;
  /** Runs the command and returns its exit code. Errors are printed; their table determines the exit code. */
  run(invocation: Invocation): Awaitable<number>;
}

/** The service `launch`: how the process was started. */
export interface Launch extends Omit<Invocation, "args" | "options"> {
  version: string;
  /** The preset that was named with `--preset`. */
  preset?: string;
  /**
   * Set while this process is the host that runs in the background: its process id, and the command that starts it
   * again with the same options.
   */
  served?: { pid: number; restart: string };
  /** Whether this project is trusted in this run only, as with --trust. */
  trust?: boolean;
  /** Options of every command. The loader has already applied them. */
  globalOptions: readonly CliOption[];
  /** The files of extensions that failed and may have had commands. */
  failedExtensions(): readonly string[];
  /**
   * Registers work that runs before the process begins to stop, also after a signal. It has no time limit; a second SIGTERM ends the process
   * at once.
   */
  beforeEnd(work: () => Promise<void>): void;
  /** Leaves out the notice that a project is not trusted, for a command that uses nothing of a project. */
  leaveProjectUnused(): void;
}

/** The service `cli`: the command line. */
export interface CliService {
  /** Parses and runs a command line. Prints errors and returns the exit code. */
  run(argv: readonly string[]): Promise<number>;
  /** Returns the text of `--help`: all of it, for a noun, or for one command. */
  help(noun?: string, action?: string): string;
}

declare module "@scorel/kernel" {
  interface Services {
    cli: CliService;
    launch: Launch;
  }
  interface Contributions {
    cliCommands: CliCommand[];
    /** Options that choose the folder of a session, for commands with `opensSession`. */
    folderOptions: FolderOption[];
    /** Values that shells offer for options and arguments of commands. */
    completionSources: CompletionSource[];
  }
}
