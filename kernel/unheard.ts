import type { Logger, Ui } from "./types.ts";

interface Asking {
  default?: unknown;
}

/** `ctx.ui` where no plugin provides it: every question has its default, and notices go to the log file. */
export function unheard(logger: Logger, plugin: string): Ui {
  const levels = { info: "info", warning: "warn", error: "error" } as const;
  const ui = {
    attended: false,
    select: async (_title: string, _choices: unknown, asking?: Asking) => asking?.default,
    confirm: async (_title: string, asking?: Asking) => asking?.default ?? false,
    input: async (_title: string, asking?: Asking) => asking?.default,
    notify: (text: string, level: keyof typeof levels = "info") => logger[levels[level]](`Plugin "${plugin}": ${text}`),
    status: () => {},
  };
  return ui as Ui;
}
