import type { Invocation } from "@scorel/cli/contract";
import { agrees, answerTo, isYes } from "@scorel/kit/terminal/answer";
import { visibleText } from "@scorel/kit/text/plain";
import type { HeldExtension, TrustChange, TrustItem, TrustReview, TrustService } from "./contract.ts";

type Streams = Pick<Invocation, "stdin" | "stdout" | "interrupt">;

const titles: Readonly<Record<TrustItem["kind"], string>> = {
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

/** Asks, in a terminal, about a project that is not trusted and about extensions that are held back. */
export async function askAtStart(trust: TrustService, invocation: Invocation): Promise<void> {
  if (!invocation.stdin.isTTY || !invocation.stdout.isTTY) return;
  const held = await trust.held();
  if (held.length > 0 && (await agrees(questionAboutHeld(held), invocation))) await trust.confirm(held);
  const review = await trust.review(invocation.cwd);
  if (review && (await decide(review, invocation))) await review.accept();
}

/** What people look at before they say yes to it. */
export interface Reviewed {
  items: readonly TrustItem[];
  /** Against what they said yes to before. */
  changes?: readonly TrustChange[];
  /** The small texts in it. */
  texts(): { path: string; text: string }[];
}

/** Shows a review of trust until it is answered with yes or no. */
export function decide(review: TrustReview, streams: Streams): Promise<boolean> {
  return decideOn(review, headOf(review), "Trust it?", streams);
}

/** What is there and what it could do; no name or text in it can hide another. */
export function describe(review: TrustReview): string {
  return describeAs(headOf(review), review);
}

const states: Readonly<Record<TrustReview["parts"][number]["state"], string>> = {
  new: "not trusted yet",
  changed: "changed since you trusted it",
  trusted: "trusted already",
};

function headOf({ parts }: TrustReview): string {
  return Object.entries(states)
    .map(([state, text]) => ({ text, folders: parts.flatMap((part) => (part.state === state ? part.folders : [])) }))
    .flatMap(({ text, folders }) => (folders.length > 0 ? [`${folders.join(", ")}: ${text}`] : []))
    .join("\n");
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
export function changeLines(changes: readonly TrustChange[]): string[] {
  return changes.flatMap(({ path, how, diff }) => [
    `  ${how.padEnd(7)}  ${path}`,
    ...(diff === undefined ? [] : diff.split("\n").map((line) => `    ${line}`)),
  ]);
}

/** What has scrolled away is named again where the question stands. */
function counted(items: readonly TrustItem[]): string {
  const counts = Object.entries(titles).map(([kind, title]) => ({
    title,
    count: items.filter((item) => item.kind === kind).length,
  }));
  return counts.flatMap(({ title, count }) => (count > 0 ? [`${title} ${count}`] : [])).join(", ");
}

/** The extensions that are held back, each with the files that a yes takes. */
export function describeHeld(held: readonly HeldExtension[]): string {
  const rows = held.flatMap(({ path, sessionId, files }) => [
    `  ${path} (session ${sessionId})`,
    ...Object.keys(files).map((file) => `    ${file}`),
  ]);
  return `These extensions of yours appeared or changed while tools of a session ran, and are not loaded:\n${rows.join("\n")}`;
}

export const questionAboutHeld = (held: readonly HeldExtension[]): string =>
  `${describeHeld(held)}\nLoad them from now on? [y/N] `;
