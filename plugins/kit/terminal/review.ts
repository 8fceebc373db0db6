import { visibleName, visibleText } from "../text/plain.ts";
import { widthOf } from "../text/width.ts";
import { answerTo, decisionIn, fitted, type Streams } from "./answer.ts";

/** Kinds of effects that the user is asked to accept, with the title that each kind is shown under. */
const titles = {
  weakens: "changes what keeps you safe",
  redirect: "sends your prompts and keys elsewhere",
  code: "runs code with your rights",
  preset: "chooses what is loaded",
  setting: "sets",
  command: "adds commands",
  instructions: "tells the model",
  skill: "adds skills",
  agent: "adds agents, which the model may give work to if the plugin subagents is used",
  other: "also contains",
};

/** Number of lines above which a summary follows the list, since a longer list may scroll off the screen. */
const LONG = 20;

/** One effect of accepting. */
export interface ReviewedItem {
  kind: keyof typeof titles;
  /** One line that names the effect and what it could do. */
  what: string;
  /** `file:line`. */
  place: string;
  /** It was accepted before, and its file has not changed since. */
  isKnown?: true;
}

/** A file that differs from what was accepted before. */
export interface ReviewedChange {
  path: string;
  how: string;
  /** Removed and added lines; absent for files that are binary or large. */
  diff?: string | undefined;
}

/** What the user sees before they accept it. */
export interface Reviewed {
  items: readonly ReviewedItem[];
  /** The files that differ from what was accepted before. */
  changes?: readonly ReviewedChange[];
  /** The small text files in it, to be shown. */
  texts(): { path: string; text: string }[];
}

/** The question about a review. */
export interface ReviewQuestion {
  text: string;
  /** The consequence of answering "no", which is shown with the question if it is not obvious. */
  no?: string | undefined;
  /** The command that lists what was accepted before, which is then only counted here. */
  known?: string | undefined;
}

/** Shows a review under a headline, and asks until the user answers yes or no; an empty answer counts as no. Throws QUESTION_STOPPED. */
export async function decideOn(
  reviewed: Reviewed,
  head: string,
  { text: question, no, known }: ReviewQuestion,
  streams: Streams,
): Promise<boolean> {
  const { stdout } = streams;
  stdout.write(`${fitted(describeAs(head, reviewed, known), stdout)}\n`);
  for (;;) {
    const after = no === undefined ? "" : ` (${no})`;
    const answer = await answerTo(`${question} [y]es, [N]o${after}, [s]how: `, streams);
    const decided = decisionIn(answer);
    if (decided !== undefined) return decided;
    if (!/^\s*s(how)?\s*$/i.test(answer)) stdout.write("Please answer y, n or s (Enter: no).\n");
    else await showTexts(reviewed.texts(), streams);
  }
}

/** Shows texts one page at a time, so that nothing scrolls off the screen unread. */
async function showTexts(texts: ReturnType<Reviewed["texts"]>, streams: Streams): Promise<void> {
  const { stdout } = streams;
  const lines = texts.flatMap(({ path, text }) => [
    `--- ${visibleName(path)}`,
    ...visibleText(text.trimEnd()).split("\n").map(withoutTabs),
    "",
  ]);
  for (let at = 0; at < lines.length; ) {
    const next = at + linesOfPage(lines.slice(at), stdout);
    stdout.write(`${lines.slice(at, next).join("\n")}\n`);
    at = next;
    const more = `-- ${at} of ${lines.length} lines. Enter shows more, q ends this: `;
    if (at < lines.length && (await answerTo(more, streams)).trim() !== "") return;
  }
}

/** How many of the lines fit on the screen. Long lines take several rows. */
function linesOfPage(lines: readonly string[], { isTTY, rows = 24, columns = 80 }: Streams["stdout"]): number {
  if (!isTTY) return lines.length;
  let left = Math.max(4, rows - 2);
  const count = lines.findIndex((line) => {
    left -= Math.max(1, Math.ceil(widthOf(line) / columns));
    return left < 0;
  });
  return count < 0 ? lines.length : Math.max(1, count);
}

/** Replaces tabs by spaces up to the next multiple of eight columns, as terminals do. */
function withoutTabs(line: string): string {
  let column = 0;
  return line.replace(/[^\t]+|\t/g, (part) => {
    const shown = part === "\t" ? " ".repeat(8 - (column % 8)) : part;
    column += widthOf(shown);
    return shown;
  });
}

/**
 * Text that lists changes and effects under a headline. Special characters are escaped, so that no name hides another. With `known`, the
 * command that lists them, effects that were accepted before are only counted.
 */
export function describeAs(
  head: string,
  { items: all, changes = [] }: Pick<Reviewed, "items" | "changes">,
  known?: string,
): string {
  const counts = known === undefined ? [] : all.filter(({ isKnown }) => isKnown);
  const items = all.filter((item) => !counts.includes(item));
  const lines = [head, ...changeLines(changes)];
  for (const [kind, title] of Object.entries(titles)) {
    const rows = items.filter((item) => item.kind === kind);
    if (rows.length > 0) lines.push(`${title}:`, ...rows.map(({ what, place }) => `  ${what}  (${place})`));
  }
  if (lines.length > LONG && items.length > 0) lines.push(`In all: ${counted(items)}.`);
  if (counts.length > 0) lines.push(`In files that have not changed: ${counted(counts)}. To list them: ${known}`);
  return visibleText(lines.join("\n"));
}

/** One line for each file, followed by its removed and added lines. */
export function changeLines(changes: readonly ReviewedChange[]): string[] {
  return changes.flatMap(({ path, how, diff }) => [
    `  ${how.padEnd(7)}  ${path}`,
    ...(diff === undefined ? [] : diff.split("\n").map((line) => `    ${line}`)),
  ]);
}

/** A summary: how many items there are of each kind. */
function counted(items: readonly ReviewedItem[]): string {
  const counts = Object.entries(titles).map(([kind, title]) => ({
    title,
    count: items.filter((item) => item.kind === kind).length,
  }));
  return counts.flatMap(({ title, count }) => (count > 0 ? [`${title} ${count}`] : [])).join(", ");
}
