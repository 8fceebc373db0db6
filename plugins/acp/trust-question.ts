import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { describeAs } from "@scorel/kit/terminal/review";
import type { TrustReview, TrustService } from "@scorel/trust/contract";
import { fenced, textPart } from "./clean.ts";
import type { Editor } from "./editor.ts";

const TRUST = "trust";

/** Directories whose projects a person did not want to trust, so that they are not asked again. */
export type Declined = Set<string>;

/**
 * Asks whether what a project brings may be used, if it has something that is not trusted. Returns whether a person has trusted it just
 * now. Editors may answer questions by themselves and then take what allows something once, so that is the answer that trusts nothing.
 */
export async function askForTrust(
  trust: TrustService,
  cwd: string,
  {
    sessionId,
    editor,
    declined,
    signal,
  }: { sessionId: string; editor: Editor; declined: Declined; signal: AbortSignal },
): Promise<boolean> {
  if (declined.has(cwd)) return false;
  const review = await trust.review(cwd);
  if (!review) return false;
  const chosen = await editor.choose(
    {
      sessionId,
      toolCall: callFor(review),
      options: [
        { optionId: "without", name: "Go on without it", kind: "allow_once" },
        { optionId: TRUST, name: "Trust it as it is now", kind: "allow_always" },
      ],
    },
    signal,
  );
  if (chosen !== TRUST) {
    // Without an answer, the next prompt asks again.
    if (chosen !== null) declined.add(cwd);
    return false;
  }
  await review.accept();
  return true;
}

function callFor(review: TrustReview): ToolCallUpdate {
  const head = review.parts.some(({ state }) => state === "changed")
    ? "This project has changed since you trusted it. Nothing of the following is used unless you trust it:"
    : "This project brings the following. Nothing of it is used unless you trust it:";
  return {
    toolCallId: `trust-${review.path}`,
    title: "Trust this project?",
    kind: "other",
    status: "pending",
    content: [textPart(fenced(describeAs(head, review)))],
    locations: review.folders.map((path) => ({ path })),
  };
}
