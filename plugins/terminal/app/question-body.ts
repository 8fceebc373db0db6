import type { OpenRequest } from "@scorel/host/client";
import type { DisplayAction } from "@scorel/kernel";
import { certainLine, certainText } from "../rows/certain.ts";
import { diffLines } from "../rows/diff.ts";
import { wrapped } from "../rows/wrap.ts";
import type { Role, Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";
import { known } from "./offers.ts";

/** The most consecutive empty lines that are shown as they are. */
const MOST_EMPTY = 3;
/** More than 40 consecutive spaces, which are replaced by their number: they could push text out of sight. */
const MANY_SPACES = / {41,}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const COLORS = /\u001b\[[0-9;]*m/g;

/** Unchanged lines that are shown around each change of a diff when there is little room. */
const NEAR = 1;

interface BodyLook {
  theme: Theme;
  words: Words;
  /** There is little room: of the unchanged lines of a diff, only those next to a change are shown. */
  isTight?: boolean;
}

/**
 * The whole body of a question: nobody can agree to what was cut off. Each line begins with a bar, so that no text can look like an
 * answer or like a line of the application; the continuation of a broken line begins with another bar. `end` is the number of lines up to
 * the end of the first part, such as a command with reasons below it.
 */
export function questionBody(
  request: OpenRequest,
  more: Readonly<Record<"before" | "after", readonly string[]>>,
  width: number,
  look: BodyLook,
): { lines: string[]; end: number } {
  const room = Math.max(8, width - 2);
  const before = more.before.flatMap((text) => textLines(text, room, look, "strong"));
  const [first = [], ...rest] = (request.body ?? []).map((part) => partLines(part, room, look, request));
  const after = more.after.flatMap((text) => textLines(text, room, look));
  return { lines: [...before, ...first, ...rest.flat(), ...after], end: before.length + first.length };
}

function partLines(part: DisplayAction, room: number, look: BodyLook, request: OpenRequest): string[] {
  switch (part.display) {
    case "diff":
      return [...textLines(certainLine(part.path), room, look, "muted"), ...changeLines(part.text, room, look)];
    case "notice":
      return textLines(known(part.text, request, look.words), room, look, "code");
    case "hidden":
      return [];
    case "card":
      return [
        ...textLines(certainText(part.title), room, look),
        ...textLines(certainText(part.text), room, look),
        ...(part.body ?? []).flatMap((each) => partLines(each, room, look, request)),
      ];
    case "fold":
      return [
        ...textLines(certainText(part.title), room, look),
        ...textLines(certainText(part.text), room, look, "muted"),
      ];
    default:
      return textLines(certainText(part.text), room, look);
  }
}

/** The lines of text to which `certainText` was applied already. */
function textLines(text: string, room: number, look: BodyLook, role: Role = "text"): string[] {
  if (text === "") return [];
  const { theme, words } = look;
  const lines = shortened(text, words).split("\n");
  return marked(lines, (line) => line.trim() === "", look).flatMap(({ line, isMark }) => {
    if (isMark) return [line];
    const [first = "", ...rest] = wrapped(theme.style(role, line), room);
    return [theme.style("faint", "│ ") + first, ...rest.map((each) => theme.style("faint", "┊ ") + each)];
  });
}

function changeLines(diff: string, room: number, look: BodyLook): string[] {
  const lines = diffLines(shortened(certainText(diff), look.words), room, look.theme, look.isTight ? NEAR : undefined);
  const isEmpty = (line: string) => /^ *\d+ [-+ ]\s*$/.test(line.replace(COLORS, ""));
  const bar = look.theme.style("faint", "│ ");
  return marked(lines, isEmpty, look).map(({ line, isMark }) => (isMark ? line : bar + line));
}

function shortened(text: string, words: Words): string {
  return text.replace(MANY_SPACES, (spaces) => ` ⋯ ${words.spaces(spaces.length)} ⋯ `);
}

interface Marked {
  line: string;
  isMark: boolean;
}

/** The lines, with a mark instead of each run of more than `MOST_EMPTY` empty ones. */
function marked(lines: readonly string[], isEmpty: (line: string) => boolean, { theme, words }: BodyLook): Marked[] {
  const shown: Marked[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && isEmpty(lines[end] as string)) end++;
    if (end - at > MOST_EMPTY)
      shown.push({ line: theme.style("warning", `⋯ ${words.emptyLines(end - at)}`), isMark: true });
    else for (const line of lines.slice(at, Math.max(end, at + 1))) shown.push({ line, isMark: false });
    at = Math.max(end, at + 1);
  }
  return shown;
}
