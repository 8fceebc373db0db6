import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  WATCH_FOLDER: (a: { path: string; reason: string }) =>
    `Changes below ${a.path} cannot be watched (${a.reason}). /reload applies them; on Linux, ENOSPC means that fs.inotify.max_user_watches is too low.`,
});
