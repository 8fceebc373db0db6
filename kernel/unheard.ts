import type { Logger } from "./types.ts";
import type { Asking, Choice, Ui } from "./ui.ts";

/** Where nobody can be asked: every question has its default, what is to be told goes to the log file. */
export function unheard(logger: Logger, plugin: string): Ui {
  const told = { info: "info", warning: "warn", error: "error" } as const;
  return {
    attended: false,
    select: async <V extends string>(_title: string, _choices: readonly Choice<V>[], asking?: Asking<V>) =>
      asking?.default as V,
    confirm: async (_title, asking) => asking?.default ?? false,
    input: async (_title: string, asking?: Asking<string>) => asking?.default as string,
    notify: (text, level = "info") => logger[told[level]](`Plugin "${plugin}": ${text}`),
    status: () => {},
  };
}
