import type { CompactionAnswer, CompactionProposal } from "./contract.ts";
import { errors } from "./errors.ts";

/** A proposal, with the answers of the layers so far. */
export type Answered = CompactionProposal & Pick<CompactionAnswer, "cancel" | "summary">;

const FIELDS = ["cancel", "instructions", "summary"];

/** How the answers of layers are joined: instructions add up, a cancel or a summary ends the chain. */
export const proposalFold = {
  fold: (proposal: CompactionProposal, { instructions, ...answer }: CompactionAnswer): Answered => ({
    ...proposal,
    ...answer,
    ...(instructions !== undefined && {
      instructions: [proposal.instructions, instructions].filter(Boolean).join("\n\n"),
    }),
  }),
  ends: ({ cancel, summary }: CompactionAnswer) => cancel !== undefined || summary !== undefined,
};

/** Throws COMPACTION_ANSWER for a value that no layer may return. */
export function assertAnswer(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw errors.COMPACTION_ANSWER({
      advice: `It returned ${Array.isArray(answer) ? "a list" : `a ${typeof answer}`}.`,
    });
  const names = Object.keys(answer);
  const unknown = names.find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) throw errors.COMPACTION_ANSWER({ advice: `It returned a field "${unknown}".` });
  const [name, ...more] = names;
  const value = (answer as Record<string, unknown>)[name ?? ""];
  if (more.length > 0 || typeof value !== "string" || value.trim() === "")
    throw errors.COMPACTION_ANSWER({ advice: `It returned ${names.length === 0 ? "nothing" : names.join(" and ")}.` });
}
