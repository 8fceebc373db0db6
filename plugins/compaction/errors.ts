import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  COMPACTION_BUSY: () =>
    "The conversation cannot be compacted while a turn or another compaction is running. Wait for its end or cancel it, then compact again.",
});
