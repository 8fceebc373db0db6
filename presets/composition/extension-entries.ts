import type { ExtensionFile } from "@scorel/extensions/contract";
import { loadTimes } from "../catalogue.ts";
import { errors } from "../errors.ts";
import { issuesIn } from "../layers/check.ts";
import type { Resolution } from "./resolution.ts";

/** Loads the extensions of one scope. One that cannot be loaded is reported as a problem; the others are loaded. */
export async function extensionEntries(
  { merged }: Resolution,
  files: readonly ExtensionFile[],
  scope: "host" | "session",
) {
  if (files.length === 0) return { entries: [], problems: [] };
  const { extensionEntries } = await import("@scorel/extensions/entries");
  const { tables } = merged;
  const config = {
    tables,
    tableOf(id: string, schema: Parameters<typeof issuesIn>[2]) {
      const table = Object.hasOwn(tables, id) ? tables[id] : {};
      const problems = issuesIn(merged, id, schema, table).map((issue) => `Extension "${id}" is left out: ${issue}`);
      if (problems.length > 0) throw errors.CONFIG_INVALID({ problems });
      return table;
    },
    refused: (problem: string) => errors.CONFIG_SCOPE({ problems: [problem] }),
    loaded: (plugin: object, milliseconds: number) => void loadTimes.set(plugin as never, milliseconds),
  };
  return await extensionEntries(config, files, scope);
}
