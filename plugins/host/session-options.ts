/** The options of a session, in one table: what each may be. Runs in browsers too. */

import type { SessionOptions } from "@scorel/workspace/contract";

/** What an option may be: one of these words, any text, several texts, or yes and no. */
type Kind = readonly string[] | "text" | "texts" | "switch";

/** The values of each option by its key; everything that reads, checks, copies or compares options goes by this table. */
export const kinds = {
  model: "text",
  allowWrite: "texts",
  thinking: "text",
  tools: "texts",
  appendSystemPrompt: "text",
  permission: ["ask", "edits", "full", "plan"],
  sandbox: ["auto", "bubblewrap", "docker", "podman", "local"],
  attending: "switch",
} as const satisfies Record<keyof SessionOptions, Kind>;

/** The keys of all options. */
export const optionKeys = Object.keys(kinds) as readonly (keyof SessionOptions)[];

/** Returns the options that are set, and nothing else of the object. */
export function optionsOf(from: SessionOptions): SessionOptions {
  return Object.fromEntries(optionKeys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));
}
