import type { Client } from "@scorel/host/contract";
import type { Awaitable } from "@scorel/kernel";
import type { z } from "zod";

/** A slash command; a function alone stands for `{ run }`. Either function gets what follows the name: an object when `args` says how to read it, else the text. */
export interface SlashCommand {
  /** One line for lists. `description` is the same under another name. */
  summary?: string;
  description?: string;
  /**
   * What follows the name, as a zod object. Keys in order are words of the line, the last one takes all that remains;
   * booleans are `--key`, and every other key may be written `--key value`, too. Values are text unless the schema coerces.
   */
  args?: z.ZodObject;
  /** What the argument `key` could be; `typed` is its beginning. Enums are completed without it. */
  complete?(key: string, typed: string, context: SlashContext): Awaitable<readonly string[]>;
  // biome-ignore lint/suspicious/noExplicitAny: commands of any arguments stand in one list
  run?(args: any, context: SlashContext): Awaitable<string | CommandResult | void>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  handler?(args: any, context: SlashContext): Awaitable<string | CommandResult | void>;
}
/** Words that mean something anywhere in a message, by the sign before them, as `$name` names a skill. */
export interface MarkedWords {
  /** What they begin with: `$`. */
  sign: string;
  /** What could follow it; `typed` is its beginning. */
  complete(typed: string, context: SlashContext): Awaitable<readonly string[]>;
}
export interface SlashContext {
  sessionId: string;
  clientId: string;
  /** An operation in the name of the client that gave the command. */
  request: Client["request"];
}
/** What a command came to; a text alone stands for `{ output }`. */
export interface CommandResult {
  /** For people. */
  output?: string;
  /** The same for programs. */
  data?: unknown;
  /** The session that the face should show from now on; the same one when it was opened anew. */
  sessionId?: string;
  /** Words to put back where the person types. */
  input?: string;
  /** Text for the clipboard. */
  copy?: string;
  /** A message was sent: its id, to wait for its turn. */
  turn?: string;
  /** The person asked to leave. */
  leave?: boolean;
}

/** A command as lists show it. */
export interface ListedCommand {
  name: string;
  description: string;
  /** `/name <event> [--files]` */
  usage: string;
  /** The plugin that has it, or the file of a template. */
  plugin: string;
}
export interface Completion {
  /** Where in the line the values belong. */
  from: number;
  values: string[];
}

declare module "@scorel/kernel" {
  interface Contributions {
    commands: Record<string, SlashCommand | NonNullable<SlashCommand["run"]>>;
    markedWords: readonly MarkedWords[];
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    list_commands: { params: { sessionId: string }; result: { commands: ListedCommand[] } };
    /** Throws COMMAND_UNKNOWN and COMMAND_ARGUMENTS, and what the command throws. */
    run_command: { params: { sessionId: string; name: string; args: string }; result: CommandResult };
    /** What could be typed at the end of a line: in one that begins with a slash, or in a word with a sign before it. */
    complete_command: { params: { sessionId: string; line: string }; result: Completion };
  }
}
