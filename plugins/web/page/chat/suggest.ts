import type { ListedCommand } from "@scorel/commands/contract";
import type { RemoteClient } from "@scorel/host/client";
import type { Line } from "./line.ts";

/** Something that may be meant. */
export interface Suggestion {
  /** What is inserted. */
  text: string;
  /** How it is shown, if otherwise. */
  label?: string;
  detail?: string;
}

/** Suggestions that replace the last `length` characters before the cursor. */
export interface Suggestions {
  length: number;
  items: readonly Suggestion[];
  /** More may come: ask again soon. */
  isPartial?: boolean;
}

/** A file or folder that was found. */
export interface Found {
  path: string;
  kind: "file" | "folder" | "other";
}

const MOST_FILES = 50;

/** Finds what may be meant by the text before the cursor. */
export class Sources {
  private readonly client: RemoteClient;
  private readonly sessionId: string;
  /** The files that were found last, and the text before their mark. */
  private last: { head: string; files: readonly Found[] } | undefined;
  private skills: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(client: RemoteClient, sessionId: string) {
    this.client = client;
    this.sessionId = sessionId;
  }

  async find({ mode }: Line, before: string): Promise<Suggestions | undefined> {
    const mark = mode === "shell" ? undefined : fileMark(before);
    if (mark !== undefined) return this.files(before, mark);
    if (mode === "command" && !before.includes("\n")) return /\s/.test(before) ? this.args(before) : this.names(before);
    const word = mode === "message" ? markedWord(before) : undefined;
    return word === undefined ? undefined : this.words(word);
  }

  private async files(before: string, mark: string): Promise<Suggestions | undefined> {
    const head = before.slice(0, before.length - mark.length);
    const { length } = mark;
    if (/^@[^"]*\s/.test(mark)) {
      const known = this.last?.head === head ? filesWith(this.last.files, mark.slice(1)) : [];
      return known.length === 0 ? undefined : { length, items: known.map(fileSuggestion) };
    }
    const query = mark.replace(/^@"?|"/g, "");
    const asked = { sessionId: this.sessionId, query, limit: MOST_FILES, partial: true };
    const { files, reading = false } = await this.client.request("find_files", asked);
    this.last = { head, files };
    return { length, items: files.map(fileSuggestion), isPartial: reading };
  }

  private async names(typed: string): Promise<Suggestions> {
    const { commands } = await this.client.request("list_commands", { sessionId: this.sessionId });
    return { length: typed.length, items: commandsLike(commands, typed) };
  }

  /** An argument of a command: from what is to be chosen, else what the command suggests. */
  private async args(before: string): Promise<Suggestions> {
    const { client, sessionId } = this;
    const [, name = "", typed = ""] = /^(\S+)\s+(\S*)$/.exec(before) ?? [];
    const { commands } = await client.request("list_commands", { sessionId });
    if (!commands.some((command) => command.name === name && command.chooses)) return this.words(`/${before}`);
    const { choices } = await client.request("list_choices", { sessionId, name });
    const items = choices
      .filter(({ value, label = "" }) => value.startsWith(typed) || label.includes(typed))
      .map(({ value, label, detail = "" }) => ({ text: value, label: label ?? value, detail }));
    return items.length === 0 ? this.words(`/${before}`) : { length: typed.length, items };
  }

  /** The end of a line as the host completes it: an argument, or a word that a plugin gives a meaning, such as `$name` for a skill. */
  private async words(line: string): Promise<Suggestions> {
    const { sessionId } = this;
    const { from, values } = await this.client.request("complete_command", { sessionId, line });
    const about = values.some((value) => value.startsWith("$")) ? await this.aboutSkills() : undefined;
    const items = values.map((text) => ({ text: `${text} `, label: text, detail: about?.get(text) ?? "" }));
    return { length: line.length - from, items };
  }

  /** What each skill is for, by the word that names it. */
  private aboutSkills(): Promise<ReadonlyMap<string, string>> {
    this.skills ??= this.client.request("list_skills", { sessionId: this.sessionId }).then(
      ({ skills }) => new Map(skills.map(({ name, description }) => [`$${name}`, description])),
      () => new Map(),
    );
    return this.skills;
  }
}

/**
 * The mark of a file that the text ends with, such as `@src/ca`, `@"my file`, or `@"my folder/"fi` behind a folder that was completed.
 * Without quotes, words may follow that are a part of the name.
 */
export function fileMark(before: string): string | undefined {
  return /(?:^|\s)(@(?:"[^"\n]*\/"[^\s"]*|"[^"\n]*|[^\s"]*|[^\s"@][^\n"@]*))$/u.exec(before)?.[1];
}

/** A word that begins with a sign, which a plugin may give a meaning. */
function markedWord(before: string): string | undefined {
  return /(?:^|\s)((?![@/!])[\p{P}\p{S}]\S*)$/u.exec(before)?.[1];
}

/** A name with spaces or quotes stands in quotes. After a folder, one goes on typing. */
export function fileSuggestion({ path, kind }: Found): Suggestion {
  const name = kind === "folder" && !path.endsWith("/") ? `${path}/` : path;
  const mark = /[\s"]/.test(name) ? `@"${name}"` : `@${name}`;
  return { text: kind === "folder" ? mark : `${mark} `, label: name };
}

function filesWith(files: readonly Found[], typed: string): Found[] {
  return files.filter(({ path }) => path.toLowerCase().includes(typed.toLowerCase()));
}

/** The commands whose names begin with what was typed, then those that have its letters in this order. */
export function commandsLike(commands: readonly ListedCommand[], typed: string): Suggestion[] {
  const starting = commands.filter(({ name }) => name.startsWith(typed));
  const others = commands.filter(({ name }) => !name.startsWith(typed) && hasLetters(name, typed));
  return [...starting, ...others].map(({ name, usage, description }) => ({
    text: usage.includes(" ") ? `${name} ` : name,
    label: usage,
    detail: description,
  }));
}

function hasLetters(name: string, typed: string): boolean {
  let at = 0;
  for (const letter of name) if (letter === typed[at]) at++;
  return at === typed.length;
}
