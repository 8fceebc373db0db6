import type { Invocation } from "@scorel/cli/contract";
import { agrees } from "@scorel/kit/terminal/answer";
import { decideOn, describeAs } from "@scorel/kit/terminal/review";
import { visibleName } from "@scorel/kit/text/plain";
import type { HeldExtension, TrustReview, TrustService } from "./contract.ts";

type Streams = Pick<Invocation, "stdin" | "stdout" | "interrupt">;

/** Asks, if there is a terminal, about extensions that are held back and about a project that is not trusted. */
export async function askAtStart(trust: TrustService, invocation: Invocation): Promise<void> {
  if (!invocation.stdin.isTTY || !invocation.stdout.isTTY) return;
  const held = await trust.held();
  if (held.length > 0 && (await agrees(questionAboutHeld(held), invocation))) await trust.confirm(held);
  const review = await trust.review(invocation.cwd);
  if (review && (await decide(review, invocation, START))) await review.accept();
}

/** At a start, the screen should show what has changed rather than what was accepted before. */
const START = { no: "continue without it", known: "scorel trust add" };

/** Shows a review until the user answers yes or no. */
export function decide(review: TrustReview, streams: Streams, more: Partial<typeof START> = {}): Promise<boolean> {
  return decideOn(review, headOf(review), { text: "Trust it?", ...more }, streams);
}

/** Text that lists the items of a review and what each could do. Names are escaped, so that none can hide another. */
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
    .flatMap(({ text, folders }) => (folders.length > 0 ? [`${folders.map(visibleName).join(", ")}: ${text}`] : []))
    .join("\n");
}

/** Text that lists the extensions that are held back, each with the files that the user would confirm. */
export function describeHeld(held: readonly HeldExtension[]): string {
  const rows = held.flatMap(({ path, sessionId, files }) => [
    `  ${visibleName(path)} (session ${sessionId})`,
    ...Object.keys(files).map((file) => `    ${visibleName(file)}`),
  ]);
  return `These extensions of yours appeared or changed while tools of a session ran, and are not loaded:\n${rows.join("\n")}`;
}

export const questionAboutHeld = (held: readonly HeldExtension[]): string =>
  `${describeHeld(held)}\nLoad them from now on? [y/N] `;
