import type { OpenRequest } from "@scorel/host/client";
import type { DisplayAction } from "@scorel/kernel";
import { certainLine, certainText } from "../rows/certain.ts";
import { diffLines } from "../rows/diff.ts";
import { wrapped } from "../rows/wrap.ts";
import type { Role, Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";
import { known } from "./offers.ts";

/** Empty lines that stand one after the other. */
const MOST_EMPTY = 3;
/** Spaces that stand one after the other. */
const MANY_SPACES = / {41,}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const COLORS = /\u001b\[[0-9;]*m/g;

/** Unchanged lines that stay around each change of a diff for which there is little room. */
const NEAR = 1;

interface BodyLook {
  theme: Theme;
  words: Words;
  /** There is little room: only the lines next to a change are shown of those that stay as they are. */
  isTight?: boolean;
}

/**
 * What a question is about, whole: nobody can agree to what was cut off. Each line of it stands behind a bar, so that no text can look
 * like an answer or like a line about the question; a line that was broken goes on behind another bar. `end` is where its first part
 * ends, such as the command that reasons stand below.
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

/** Lines of a text that is certain already. */
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

/** The lines, with a mark in place of many empty ones. */
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
