import { setTimeout as delay } from "node:timers/promises";
import { fuzzyFilter } from "@mariozechner/pi-tui/dist/fuzzy.js";
import type { ListedCommand } from "@scorel/commands/contract";
import type { Client } from "@scorel/host/contract";
import { choicesLike, typedArgument } from "@scorel/kit/text/choices";
import { endsInPart } from "@scorel/kit/values/namesakes";
import type {} from "@scorel/mentions/contract";
import type { Asked, Source, Suggestion, Suggestions } from "./completing.ts";

/** The session whose files, commands and words are suggested. */
export interface Place {
  readonly client: Client;
  readonly sessionId: string | undefined;
}

/** The application's own knowledge of slash commands. */
export interface CommandsHere {
  /** The commands of the session, together with those of the application. */
  all(commands: readonly ListedCommand[]): readonly ListedCommand[];
  /** Whether other tools have a name for the command `name` that begins with `typed`. */
  isKnownAs(name: string, typed: string): boolean;
  /** How often each command was used in this project. */
  uses?(): ReadonlyMap<string, number>;
}

/** A file or folder of the project, its path relative to the session's directory. */
export interface FoundFile {
  path: string;
  directory?: boolean | undefined;
}

/** Files that were found, the best match first. `isPartial` while file names are still being read, so that more may be found. */
export interface FoundFiles {
  files: readonly FoundFile[];
  isPartial?: boolean;
}

/** Finds files whose paths match a query. */
export type FindFiles = (query: string, signal: AbortSignal) => Promise<FoundFiles>;

const MOST_FILES = 50;
/** Milliseconds to wait for an answer before the files that are known so far are shown. */
const SOON_MS = 100;

/** Finds files of the session's directory by the host. */
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
 * The matching commands, the best match first: that very name, names of which it is the last part, as of a skill, names that begin with it,
 * commands with such a name in other tools, and names with the typed letters. Within each kind but the last, the most used commands come
 * first.
 */
function ordered(commands: readonly ListedCommand[], typed: string, here: CommandsHere | undefined): ListedCommand[] {
  const uses = here?.uses?.() ?? new Map<string, number>();
  const kindOf = ({ name }: ListedCommand) => {
    if (name === typed) return 0;
    if (endsInPart(name, typed)) return 1;
    if (name.startsWith(typed)) return 2;
    return here?.isKnownAs(name, typed) ? 3 : 4;
  };
  const of = (kind: number) => commands.filter((command) => kindOf(command) === kind);
  const byUse = (some: ListedCommand[]) => some.sort((a, b) => (uses.get(b.name) ?? 0) - (uses.get(a.name) ?? 0));
  return [...[0, 1, 2, 3].flatMap((kind) => byUse(of(kind))), ...fuzzyFilter(of(4), typed, ({ name }) => name)];
}

/** Completes an argument: from the command's list of items, by their words, else by the command's own suggestions. */
async function argumentsOf(client: Client, sessionId: string, before: string): Promise<Suggestions> {
  const { name, typed } = typedArgument(before);
  const { commands } = await client.request("list_commands", { sessionId });
  if (!commands.some((command) => command.name === name && command.chooses))
    return words(client, sessionId, `/${before}`);
  const { choices } = await client.request("list_choices", { sessionId, name });
  const matching = choicesLike(choices, typed);
  if (matching.length === 0) return words(client, sessionId, `/${before}`);
  const items = matching.map(({ value, label, detail }) => ({
    text: value,
    ...(label !== undefined && { label }),
    ...(detail !== undefined && { detail }),
    isNamed: typed !== "" && matching.length === 1 && value.startsWith(typed),
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
 * Completes `@` and a part of a path to a file, which is attached to the message. A name with spaces is also found without quotes, and
 * inserted with them.
 */
export function fileSource(find: FindFiles, notes: FileNotes = {}): Source {
  const search = new FileSearch(find);
  return (asked, signal) => {
    const place = fileMark(asked);
    if (!place) return undefined;
    const { length } = place.mark;
    if (/^@[^"]*\s/.test(place.mark)) return spaced(search.foundBehind(place.head), place.mark);
    return search.ask(place, signal).then(({ files, isPartial = false }) => {
      // A word without a slash or an extension may also name a person.
      const isPath = /[/"]|\.\w/.test(place.mark);
      const note = isPartial ? notes.reading : files.length === 0 && isPath ? notes.none : undefined;
      return {
        length,
        items: files.map(fileSuggestion),
        ...(isPartial && { isPartial }),
        ...(note !== undefined && { note }),
      };
    });
  };
}

/** Notes below the list of files: while their names are being read, and if none of them matches a path. */
interface FileNotes {
  reading?: string;
  none?: string;
}

/** The mark of a file at the end of the text, and the text before it. */
interface FilePlace {
  head: string;
  mark: string;
}

/** Searches for files, and returns the files that are known so far when the answer takes long. */
class FileSearch {
  private readonly find: FindFiles;
  private open: (FilePlace & { found: Promise<FoundFiles> }) | undefined;
  private last: (FilePlace & { files: readonly FoundFile[] }) | undefined;

  constructor(find: FindFiles) {
    this.find = find;
  }

  /** The files that were found last for a mark with this text before it. */
  foundBehind(head: string): readonly FoundFile[] {
    return this.last?.head === head ? this.last.files : [];
  }

  async ask({ head, mark }: FilePlace, signal: AbortSignal): Promise<FoundFiles> {
    const isOpen = this.open?.head === head && this.open.mark === mark;
    if (!isOpen) this.open = { head, mark, found: this.find(mark.replace(/^@"?|"/g, ""), signal) };
    // The search may fail when nothing waits for it.
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

/** Of the files found before a space was typed, those whose names contain the typed text. If there are none, no file is meant. */
async function spaced(known: readonly FoundFile[], mark: string): Promise<Suggestions | undefined> {
  const typed = mark.slice(1).toLowerCase();
  const files = known.filter(({ path }) => path.toLowerCase().includes(typed));
  return files.length === 0 ? undefined : { length: mark.length, items: files.map(fileSuggestion) };
}

function fileSuggestion({ path, directory = false }: FoundFile): Suggestion {
  const name = directory && !path.endsWith("/") ? `${path}/` : path;
  const mark = /[\s"]/.test(name) ? `@"${name}"` : `@${name}`;
  // No space after a folder, since its files are typed next.
  if (directory) return { text: mark, label: name };
  return { text: `${mark} `, label: name, attachment: { mark, path } };
}
