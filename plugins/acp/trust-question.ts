import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { describeAs } from "@scorel/kit/terminal/review";
import type { TrustReview, TrustService } from "@scorel/trust/contract";
import { codeBlock, textPart } from "./clean.ts";
import type { Editor } from "./editor.ts";

const TRUST = "trust";

/** Directories of projects that a person has declined to trust. They are not asked about again. */
export type Declined = Set<string>;

/**
 * Asks whether the files of a project may be used, if some are not trusted yet. Returns whether the person has trusted them now. The answer
 * that editors may give automatically, "allow once", trusts nothing.
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
        { optionId: "without", name: "Continue without it", kind: "allow_once" },
        { optionId: TRUST, name: "Trust it as it is now", kind: "allow_always" },
      ],
    },
    signal,
  );
  if (chosen !== TRUST) {
    // If there was no answer, the next prompt asks again.
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
    content: [textPart(codeBlock(describeAs(head, review)))],
    locations: review.folders.map((path) => ({ path })),
  };
}
