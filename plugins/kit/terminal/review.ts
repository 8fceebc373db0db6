import { visibleText } from "../text/plain.ts";
import { answerTo, isYes, type Streams } from "./answer.ts";

/** What something that a person is asked to accept could do, with the words that each kind is shown under. */
const titles = {
  weakens: "changes what keeps you safe",
  redirect: "sends your words and keys elsewhere",
  code: "runs code with your rights",
  preset: "chooses what is loaded",
  setting: "sets",
  command: "adds commands",
  instructions: "tells the model",
  skill: "adds skills",
  other: "also holds",
};

/** More lines than a screen shows at once. */
const LONG = 20;

/** One thing that could happen by a yes. */
export interface ReviewedItem {
  kind: keyof typeof titles;
  /** What it is and what it could do, in one line. */
  what: string;
  /** `file:line`. */
  place: string;
}

/** A file that differs from what was accepted before. */
export interface ReviewedChange {
  path: string;
  how: string;
  /** Lines that went and came; absent for what is no small text. */
  diff?: string | undefined;
}

/** What people look at before they say yes to it. */
export interface Reviewed {
  items: readonly ReviewedItem[];
  /** Against what they said yes to before. */
  changes?: readonly ReviewedChange[];
  /** The small texts in it. */
  texts(): { path: string; text: string }[];
}

/** Shows anything reviewed, under a headline, until the question is answered with yes or no. */
export async function decideOn(reviewed: Reviewed, head: string, question: string, streams: Streams): Promise<boolean> {
  const { stdout } = streams;
  stdout.write(`${describeAs(head, reviewed)}\n`);
  for (;;) {
    const answer = await answerTo(`${question} [y]es, [N]o, [s]how: `, streams);
    if (!/^\s*s(how)?\s*$/i.test(answer)) return isYes(answer);
    for (const { path, text } of reviewed.texts()) stdout.write(visibleText(`--- ${path}\n${text.trimEnd()}\n\n`));
  }
}

/** What changed, what is there and what that could do, under a headline; nothing in it can hide anything else. */
export function describeAs(head: string, { items, changes = [] }: Pick<Reviewed, "items" | "changes">): string {
  const lines = [head, ...changeLines(changes)];
  for (const [kind, title] of Object.entries(titles)) {
    const rows = items.filter((item) => item.kind === kind);
    if (rows.length > 0) lines.push(`${title}:`, ...rows.map(({ what, place }) => `  ${what}  (${place})`));
  }
  if (lines.length > LONG) lines.push(`In all: ${counted(items)}.`);
  return visibleText(lines.join("\n"));
}

/** A line for each file, with the lines that went and came below it. */
export function changeLines(changes: readonly ReviewedChange[]): string[] {
  return changes.flatMap(({ path, how, diff }) => [
    `  ${how.padEnd(7)}  ${path}`,
    ...(diff === undefined ? [] : diff.split("\n").map((line) => `    ${line}`)),
  ]);
}

/** What has scrolled away is named again where the question stands. */
function counted(items: readonly ReviewedItem[]): string {
  const counts = Object.entries(titles).map(([kind, title]) => ({
    title,
    count: items.filter((item) => item.kind === kind).length,
  }));
  return counts.flatMap(({ title, count }) => (count > 0 ? [`${title} ${count}`] : [])).join(", ");
}
