import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  COMPACTION_ANSWER: (a: { advice: string }) =>
    `A layer of "beforeCompact" must return { cancel: reason }, { instructions: text } or { summary: text }, each a non-empty string. ${a.advice}`,
  COMPACTION_BUSY: () =>
    "The conversation cannot be compacted while a turn or another compaction is running. Wait until it ends, or cancel it, then compact again.",
});
