import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  CHECKPOINT_TARGET: (a: { id: string }) =>
    `"${a.id}" is not an event of this session's conversation. \`scorel session tree\` shows the ids.`,
  CHECKPOINT_BUSY: () => "A turn is running and may change files. Wait until it ends, or cancel it first.",
  CHECKPOINT_FOREIGN: () =>
    "This session was imported or comes from another device, so its checkpoints do not belong to the files here. Nothing was restored: use the project's version control, and go back without the files (without --files).",
  CHECKPOINT_PATH: (a: { path: string; reason: string }) => `${a.path} was not restored: ${a.reason}.`,
  CHECKPOINT_GIT: (a: { reason: string }) => `git could not list the project's files (${a.reason}).`,
});
