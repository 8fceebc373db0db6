import type { ListedCommand } from "@scorel/commands/contract";
import type { RemoteClient } from "@scorel/host/client";
import { choicesLike, typedArgument } from "@scorel/kit/text/choices";
import { endsInPart } from "@scorel/kit/values/namesakes";
import type { Line } from "./line.ts";

/** A suggestion for what the person may want to type. */
export interface Suggestion {
  /** The text that is inserted. */
  text: string;
  /** The text that is shown, if it differs. */
  label?: string;
  detail?: string;
}

/** Suggestions that replace the last `length` characters before the cursor. */
export interface Suggestions {
  length: number;
  items: readonly Suggestion[];
  /** Whether more may follow, so that the caller should ask again soon. */
  isPartial?: boolean;
}

/** A file or folder that was found. */
export interface Found {
  path: string;
  kind: "file" | "folder" | "other";
}

const MOST_FILES = 50;

/** Finds suggestions for the text before the cursor. */
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

  /** Suggestions for an argument of a command: from a list of choices, or else from the command itself. */
  private async args(before: string): Promise<Suggestions> {
    const { client, sessionId } = this;
    const { name, typed } = typedArgument(before);
    const { commands } = await client.request("list_commands", { sessionId });
    if (!commands.some((command) => command.name === name && command.chooses)) return this.words(`/${before}`);
    const { choices } = await client.request("list_choices", { sessionId, name });
    const items = choicesLike(choices, typed).map(({ value, label, detail = "" }) => ({
      text: value,
      label: label ?? value,
      detail,
    }));
    return items.length === 0 ? this.words(`/${before}`) : { length: typed.length, items };
  }

  /** The host's completions of a line: an argument, or a word with a meaning for a plugin, such as `$name` for a skill. */
  private async words(line: string): Promise<Suggestions> {
    const { sessionId } = this;
    const { from, values } = await this.client.request("complete_command", { sessionId, line });
    const about = values.some((value) => value.startsWith("$")) ? await this.aboutSkills() : undefined;
    const items = values.map((text) => ({ text: `${text} `, label: text, detail: about?.get(text) ?? "" }));
    return { length: line.length - from, items };
  }

  /** Descriptions of the skills, by the word that names each. */
  private aboutSkills(): Promise<ReadonlyMap<string, string>> {
    this.skills ??= this.client.request("list_skills", { sessionId: this.sessionId }).then(
      ({ skills }) => new Map(skills.map(({ name, description }) => [`$${name}`, description])),
      () => new Map(),
    );
    return this.skills;
  }
}

/**
 * The mention of a file with which the text ends, such as `@src/ca`, `@"my file`, or `@"my folder/"fi` after a folder that was completed.
 * Without quotes, words after it may be part of the name.
 */
export function fileMark(before: string): string | undefined {
  return /(?:^|\s)(@(?:"[^"\n]*\/"[^\s"]*|"[^"\n]*|[^\s"]*|[^\s"@][^\n"@]*))$/u.exec(before)?.[1];
}

/** A word that begins with a sign, to which a plugin may give a meaning. */
function markedWord(before: string): string | undefined {
  return /(?:^|\s)((?![@/!])[\p{P}\p{S}]\S*)$/u.exec(before)?.[1];
}

/** A name with spaces or quotes is put in quotes. After a folder, typing goes on without a space. */
export function fileSuggestion({ path, kind }: Found): Suggestion {
  const name = kind === "folder" && !path.endsWith("/") ? `${path}/` : path;
  const mark = /[\s"]/.test(name) ? `@"${name}"` : `@${name}`;
  return { text: kind === "folder" ? mark : `${mark} `, label: name };
}

function filesWith(files: readonly Found[], typed: string): Found[] {
  return files.filter(({ path }) => path.toLowerCase().includes(typed.toLowerCase()));
}

/**
 * The command of the typed name, then commands of which it is the last part, as of a skill, then those whose names begin with it, then those
 * that contain its letters in this order.
 */
export function commandsLike(commands: readonly ListedCommand[], typed: string): Suggestion[] {
  const kinds: ((name: string) => boolean)[] = [
    (name) => name === typed,
    (name) => endsInPart(name, typed),
    (name) => name.startsWith(typed),
    (name) => hasLetters(name, typed),
  ];
  const kindOf = ({ name }: ListedCommand) => kinds.findIndex((is) => is(name));
  return kinds
    .flatMap((_, kind) => commands.filter((command) => kindOf(command) === kind))
    .map(({ name, usage, description }) => ({
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
