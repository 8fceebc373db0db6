import type { Client, CommandResult, Operation } from "@scorel/host/contract";
import type { Awaitable } from "@scorel/kernel";
import type { z } from "zod";

export type { CommandResult };

/**
 * A slash command. A plain function is short for `{ run }`. `run` (or `handler`) gets the parsed `args`, or without a
 * schema the text after the name.
 */
export interface SlashCommand {
  /** One line for lists. `description` is an alias. */
  summary?: string;
  description?: string;
  /** Heading under which help lists it: `Session`, `Conversation`, `Model`, `Project`, or another one. Default: `Other`. */
  group?: string;
  /**
   * Schema for the text after the name. Keys are words of the line, in order, and the last key takes the rest. Booleans
   * are written `--key`; every other key may also be given as `--key value`. Values are strings unless the schema
   * coerces them.
   */
  args?: z.ZodObject;
  /** How to write the text after the name of a command without `args`, such as `<issue> [priority]`. Lists show it behind the name. */
  hint?: string;
  /**
   * Operations that the command is equivalent to. Only a client whose scope includes all of them may run it. A client that may only read may
   * run a command whose operations are all `readOnly`; such a command must not change anything by itself. Calls of `request` are checked in
   * any case, so a command that does everything with `request` may declare `[]`. Default: `"all"`, for clients that may use every operation
   * in every session.
   */
  operations?: "all" | readonly Operation[];
  /** Keys that run the command without arguments, such as "alt+u", in clients with keys. A key that the client uses itself keeps its use. */
  keys?: string | readonly string[];
  /**
   * Lists the values to choose from when a user gives the command without arguments, in clients that show lists. The command then runs with
   * the chosen value.
   */
  choices?(context: SlashContext): Awaitable<readonly Choice[]>;
  /** Whether other plugins cannot replace the command, because it decides what runs without a question, or handles API keys. */
  sealed?: boolean;
  /**
   * Returns possible values of the argument `key` that begin with `typed`. The last argument takes the rest of the line, so its `typed` and
   * its values may have several words. Not needed for enums.
   */
  complete?(key: string, typed: string, context: SlashContext): Awaitable<readonly string[]>;
  // biome-ignore lint/suspicious/noExplicitAny: one list contains commands with any arguments
  run?(args: any, context: SlashContext): Awaitable<string | CommandResult | void>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  handler?(args: any, context: SlashContext): Awaitable<string | CommandResult | void>;
}
/** An item of a list that the user chooses from. */
export interface Choice {
  /** The argument that the command gets. */
  value: string;
  /** The text in the list. Default: the value. */
  label?: string;
  /** Short text beside the label. */
  detail?: string;
  /** Longer text, which clients show beside the list for the chosen item. */
  preview?: string;
}
/** Words with a prefix that have a meaning anywhere in a message, such as `$name` for a skill. */
export interface MarkedWords {
  /** The prefix, for example `$`. */
  sign: string;
  /** Returns words that begin with `typed`, without the prefix. */
  complete(typed: string, context: SlashContext): Awaitable<readonly string[]>;
}
/** Work of a plugin that continues while no turn runs, such as commands and subagents in the background. `/tasks` lists it. */
export interface BackgroundWork {
  /** The work that runs now, the oldest first. */
  list(): readonly BackgroundItem[];
  /** Stops the work with this id. Resolves when it has ended. */
  stop(id: string): Awaitable<void>;
  /** The work that announces its end by a message: running work, and work that has sent its message since the session was opened. */
  reports?(): readonly BackgroundReport[];
}
/** Work in the background as lists show it. */
export interface BackgroundItem {
  /** Unique in its session. It stays the same until the work has ended. */
  id: string;
  /** A title of one line for display, such as `$ npm run dev`. */
  title: string;
  /** When it began, in milliseconds since the epoch. */
  since: number;
  /** The session in which it works, if it has one of its own. */
  sessionId?: string;
}
/** Work in the background whose end is announced by a message of the session. */
export interface BackgroundReport {
  /** The seq of the session's latest event when the work began. */
  begun: number;
  /** The id of the message; undefined until it is sent. */
  message: string | undefined;
  /** Settles when the work has ended, and its message is sent. */
  ended: Promise<unknown>;
}
/** The context of a command: the session, and the client that runs it. */
export interface SlashContext {
  sessionId: string;
  clientId: string;
  /** Calls an operation with the permissions of the client that runs the command. */
  request: Client["request"];
  /** Aborts when the user cancels the command or the client leaves. The command is then no longer waited for. */
  signal: AbortSignal;
  /** Aborts only when the user cancels the command: for work that continues without its client, as a turn does. */
  cancelled: AbortSignal;
}
/** A command as shown in lists. */
export interface ListedCommand {
  name: string;
  description: string;
  /** For example `/name <event> [--files]`. */
  usage: string;
  /** Heading under which help lists it. */
  group: string;
  /** Id of the plugin, or path of the template file. */
  plugin: string;
  /** Keys that run it. */
  keys?: string[];
  /** Whether `list_choices` lists values for its argument. */
  chooses?: true;
  /** Whether it decides what runs without a question, or handles API keys. Clients run it only for a person who has typed it. */
  sealed?: true;
}
/** Possible ends of a line. */
export interface Completion {
  /** Index in the line where the values start. */
  from: number;
  values: string[];
}

declare module "@scorel/kernel" {
  interface Contributions {
    commands: Record<string, SlashCommand | NonNullable<SlashCommand["run"]>>;
    markedWords: readonly MarkedWords[];
    backgroundWork: BackgroundWork;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    list_commands: { params: { sessionId: string }; result: { commands: ListedCommand[] } };
    /** Lists the values for the argument of a command. Throws COMMAND_CHOICES when its plugin fails. */
    list_choices: { params: { sessionId: string; name: string }; result: { choices: Choice[] } };
    /**
     * Cancels the slash commands that this client runs in a session, and returns their names: their `signal` aborts, and `run_command`
     * rejects with COMMAND_CANCELLED unless they end in half a second.
     */
    cancel_commands: { params: { sessionId: string }; result: { cancelled: string[] } };
    /** Lists the work that runs in the background of a session, the oldest first. */
    list_background: { params: { sessionId: string }; result: { items: BackgroundItem[] } };
    /** Stops background work by its id from `list_background`, and resolves when it has ended. Throws BACKGROUND_UNKNOWN. */
    stop_background: { params: { sessionId: string; id: string }; result: Record<string, never> };
    /**
     * Waits for a message that announces the end of background work which began after the event with seq `after`. Returns the ids of such
     * messages that are not in `known`, for `wait_turn`, and how much of the work still runs; neither when no such work is left. With
     * `wait: false` it returns at once.
     */
    wait_background: {
      params: { sessionId: string; after: number; known: readonly string[]; wait?: boolean };
      result: { reports: string[]; running: number };
    };
    /** Completes the end of a line: a slash command or a marked word. */
    complete_command: { params: { sessionId: string; line: string }; result: Completion };
  }
}
