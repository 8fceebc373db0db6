import { setTimeout as delay } from "node:timers/promises";
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
  /** How often each command was used in this project. */
  uses?(): ReadonlyMap<string, number>;
}

/** A file or folder of the project, its path relative to the session's directory. */
export interface FoundFile {
  path: string;
  directory?: boolean | undefined;
}

/** Files that were found, the best first. `isPartial` while their names are being read, so that more may come. */
export interface FoundFiles {
  files: readonly FoundFile[];
  isPartial?: boolean;
}

/** Finds files whose paths match a query. */
export type FindFiles = (query: string, signal: AbortSignal) => Promise<FoundFiles>;

const MOST_FILES = 50;
/** Milliseconds after which an answer takes long. */
const SOON_MS = 100;

/** Finds files of the session's directory as the host does. */
export function hostFiles(place: Place): FindFiles {
  return async (query) => {
    const { client, sessionId } = place;
    if (sessionId === undefined) return { files: [] };
    const asked = { sessionId, query, limit: MOST_FILES, partial: true };
    const { files, reading = false } = await client.request("find_files", asked);
    return { files: files.map(({ path, kind }) => ({ path, directory: kind === "folder" })), isPartial: reading };
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
  const items = ordered(commands, typed, here).map(({ name, usage, description }) => ({
    text: usage.includes(" ") ? `${name} ` : name,
    label: usage,
    detail: description,
  }));
  return { length: typed.length, items };
}

/**
 * The commands that match, those first that are most certainly meant: of that name, beginning with it, known by it elsewhere, and with its
 * letters. Of the first three kinds, those come first that were used most.
 */
function ordered(commands: readonly ListedCommand[], typed: string, here: CommandsHere | undefined): ListedCommand[] {
  const uses = here?.uses?.() ?? new Map<string, number>();
  const kindOf = ({ name }: ListedCommand) => {
    if (name === typed) return 0;
    if (name.startsWith(typed)) return 1;
    return here?.isKnownAs(name, typed) ? 2 : 3;
  };
  const of = (kind: number) => commands.filter((command) => kindOf(command) === kind);
  const byUse = (some: ListedCommand[]) => some.sort((a, b) => (uses.get(b.name) ?? 0) - (uses.get(a.name) ?? 0));
  return [...[0, 1, 2].flatMap((kind) => byUse(of(kind))), ...fuzzyFilter(of(3), typed, ({ name }) => name)];
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

/**
 * Completes `@` and a part of a path to a file, which is attached to the message. `reading` is what is said while names are being read. A
 * name with spaces is found without quotes, too: they are inserted with it.
 */
export function fileSource(find: FindFiles, reading = ""): Source {
  const search = new FileSearch(find);
  return (asked, signal) => {
    const place = fileMark(asked);
    if (!place) return undefined;
    const { length } = place.mark;
    if (/^@[^"]*\s/.test(place.mark)) return spaced(search.foundBehind(place.head), place.mark);
    return search.ask(place, signal).then(({ files, isPartial = false }) => {
      const more = isPartial && { isPartial, ...(reading !== "" && { note: reading }) };
      return { length, items: files.map(fileSuggestion), ...more };
    });
  };
}

/** The mark of a file, and the text before it. */
interface FilePlace {
  head: string;
  mark: string;
}

/** Asks for files, and tells what is known when the answer takes long. */
class FileSearch {
  private readonly find: FindFiles;
  private open: (FilePlace & { found: Promise<FoundFiles> }) | undefined;
  private last: (FilePlace & { files: readonly FoundFile[] }) | undefined;

  constructor(find: FindFiles) {
    this.find = find;
  }

  /** The files that were found last for a mark at this place. */
  foundBehind(head: string): readonly FoundFile[] {
    return this.last?.head === head ? this.last.files : [];
  }

  async ask({ head, mark }: FilePlace, signal: AbortSignal): Promise<FoundFiles> {
    const isOpen = this.open?.head === head && this.open.mark === mark;
    if (!isOpen) this.open = { head, mark, found: this.find(mark.replace(/^@"?|"/g, ""), signal) };
    // Nobody may ask for the answer once it comes.
    this.open?.found.catch(() => {});
    const { open, last } = this;
    const known = last?.head === head && last.mark === mark ? last.files : [];
    const found = await Promise.race([open?.found, delay(SOON_MS)]).catch((thrown) => {
      this.open = undefined;
      throw thrown;
    });
    if (!found) return { files: known, isPartial: true };
    this.open = undefined;
    this.last = { head, mark, files: found.files };
    return found;
  }
}

/**
 * The mark of a file that the text ends with, such as `@src/ca`, `@"my file`, or `@"my folder/"fi` behind a folder that was completed, and
 * the text before it. Without quotes, words may follow that are a part of the name.
 */
function fileMark({ mode, before }: Asked): FilePlace | undefined {
  if (mode === "shell") return undefined;
  const [, mark] = /(?:^|\s)(@(?:"[^"\n]*\/"[^\s"]*|"[^"\n]*|[^\s"]*|[^\s"@][^\n"@]*))$/u.exec(before) ?? [];
  return mark === undefined ? undefined : { head: before.slice(0, before.length - mark.length), mark };
}

/** The files, of those found before the space, whose names have what is typed. In other words, nobody means a file. */
async function spaced(known: readonly FoundFile[], mark: string): Promise<Suggestions | undefined> {
  const typed = mark.slice(1).toLowerCase();
  const files = known.filter(({ path }) => path.toLowerCase().includes(typed));
  return files.length === 0 ? undefined : { length: mark.length, items: files.map(fileSuggestion) };
}

function fileSuggestion({ path, directory = false }: FoundFile): Suggestion {
  const name = directory && !path.endsWith("/") ? `${path}/` : path;
  const mark = /[\s"]/.test(name) ? `@"${name}"` : `@${name}`;
  // After a folder, one goes on typing.
  if (directory) return { text: mark, label: name };
  return { text: `${mark} `, label: name, attachment: { mark, path } };
}
