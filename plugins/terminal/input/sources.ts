import { fuzzyFilter } from "@mariozechner/pi-tui/dist/fuzzy.js";
import type { ListedCommand } from "@scorel/commands/contract";
import type { Client } from "@scorel/host/contract";
import type {} from "@scorel/mentions/contract";
import type { Asked, Source, Suggestion, Suggestions } from "./completing.ts";

/** The session that is completed for. */
export interface Place {
  readonly client: Client;
  readonly sessionId: string | undefined;
}

/** What an application knows of slash commands. */
export interface CommandsHere {
  /** The commands of the session and its own. */
  all(commands: readonly ListedCommand[]): readonly ListedCommand[];
  /** Whether other tools have a name for a command that begins with what was typed. */
  isKnownAs(name: string, typed: string): boolean;
}

/** A file or folder of the project, its path relative to the session's directory. */
export interface FoundFile {
  path: string;
  directory?: boolean | undefined;
}

/** Finds files whose paths match a query, the best first. */
export type FindFiles = (query: string, signal: AbortSignal) => Promise<readonly FoundFile[]>;

const MOST_FILES = 50;

/** Finds files of the session's directory as the host does. */
export function hostFiles(place: Place): FindFiles {
  return async (query) => {
    const { client, sessionId } = place;
    if (sessionId === undefined) return [];
    const { files } = await client.request("find_files", { sessionId, query, limit: MOST_FILES });
    return files.map(({ path, kind }) => ({ path, directory: kind === "folder" }));
  };
}

/** Completes the names of slash commands by any of their letters, then their arguments. */
export function commandSource(place: Place, here?: CommandsHere): Source {
  return ({ mode, before }) => {
    if (mode !== "command" || place.sessionId === undefined || before.includes("\n")) return undefined;
    const { client, sessionId } = place;
    return /\s/.test(before) ? argumentsOf(client, sessionId, before) : names(client, sessionId, before, here);
  };
}

async function names(client: Client, sessionId: string, typed: string, here?: CommandsHere): Promise<Suggestions> {
  const listed = (await client.request("list_commands", { sessionId })).commands;
  const commands = here?.all(listed) ?? listed;
  const starting = commands.filter(({ name }) => name.startsWith(typed) || here?.isKnownAs(name, typed));
  const others = commands.filter((command) => !starting.includes(command));
  const matching = [...starting, ...fuzzyFilter(others, typed, ({ name }) => name)];
  const items = matching.map(({ name, usage, description }) => ({
    text: usage.includes(" ") ? `${name} ` : name,
    label: usage,
    detail: description,
  }));
  return { length: typed.length, items };
}

/** Completes an argument: from what is to be chosen, by the words of each, else with what the command suggests. */
async function argumentsOf(client: Client, sessionId: string, before: string): Promise<Suggestions> {
  const [, name = "", typed = ""] = /^(\S+)\s+(\S*)$/.exec(before) ?? [];
  const { commands } = await client.request("list_commands", { sessionId });
  if (!commands.some((command) => command.name === name && command.chooses))
    return words(client, sessionId, `/${before}`);
  const { choices } = await client.request("list_choices", { sessionId, name });
  const matching = choices.filter(({ value, label = "" }) => value.startsWith(typed) || label.includes(typed));
  if (matching.length === 0) return words(client, sessionId, `/${before}`);
  const items = matching.map(({ value, label, detail }) => ({
    text: value,
    ...(label !== undefined && { label }),
    ...(detail !== undefined && { detail }),
  }));
  return { length: typed.length, items };
}

/** Completes words that a plugin gives a meaning anywhere in a message, such as `$name` for a skill. */
export function wordSource(place: Place): Source {
  return ({ mode, before }) => {
    const [, word] = /(?:^|\s)([^\w\s@/!][^\s]*)$/u.exec(before) ?? [];
    if (mode !== "message" || place.sessionId === undefined || word === undefined) return undefined;
    return words(place.client, place.sessionId, word);
  };
}

async function words(client: Client, sessionId: string, line: string): Promise<Suggestions> {
  const { from, values } = await client.request("complete_command", { sessionId, line });
  return { length: line.length - from, items: values.map((value) => ({ text: value })) };
}

/** Completes `@` and a part of a path to a file, which is attached to the message. */
export function fileSource(find: FindFiles): Source {
  return (asked, signal) => {
    const mark = fileMark(asked);
    return mark === undefined ? undefined : files(find, mark, signal);
  };
}

/** The mark of a file that the text ends with, such as `@src/ca` or `@"my file`. */
function fileMark({ mode, before }: Asked): string | undefined {
  if (mode === "shell") return undefined;
  return /(?:^|\s)(@(?:"[^"\n]*|[^\s"]*))$/u.exec(before)?.[1];
}

async function files(find: FindFiles, mark: string, signal: AbortSignal): Promise<Suggestions> {
  const found = await find(mark.replace(/^@"?/, ""), signal);
  return { length: mark.length, items: found.map(fileSuggestion) };
}

function fileSuggestion({ path, directory = false }: FoundFile): Suggestion {
  const name = directory && !path.endsWith("/") ? `${path}/` : path;
  const mark = /[\s"]/.test(name) ? `@"${name}"` : `@${name}`;
  // After a folder, one goes on typing.
  if (directory) return { text: mark.replace(/"$/, ""), label: name };
  return { text: `${mark} `, label: name, attachment: { mark, path } };
}
