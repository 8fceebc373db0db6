/** The options of a session, in one table: what each may be, and how people give it. Runs in browsers too. */

import type { CliOption } from "@scorel/cli/contract";
import type { SessionOptions } from "@scorel/workspace/contract";

/** What an option may be: one of these words, any text, several texts, or yes and no. */
type Kind = readonly string[] | "text" | "texts" | "switch";

interface OptionRow {
  kind: Kind;
  /** Absent for an option that every command takes, or that only clients set. */
  flag?: CliOption;
  /** A flag without a value that stands for one value of this option. */
  short?: { flag: CliOption; value: string };
}

const modes = ["ask", "edits", "full", "plan"] as const;
const executors = ["auto", "bubblewrap", "docker", "podman", "local"] as const;

/** Each option by its key. Everything that reads, checks, copies, compares or offers options uses this table. */
const rows: Readonly<Record<keyof SessionOptions, OptionRow>> = {
  model: { kind: "text" },
  allowWrite: { kind: "texts" },
  thinking: {
    kind: "text",
    flag: {
      flags: "--thinking <level>",
      description: "How hard the model thinks",
      values: ["off", "minimal", "low", "medium", "high", "xhigh"],
    },
  },
  permission: {
    kind: modes,
    flag: {
      flags: "--permission <mode>",
      description: "What runs without asking: ask, edits (of files), full, plan (only reading)",
      values: modes,
    },
    short: {
      flag: { flags: "--yes", description: "Run everything without asking, like --permission full" },
      value: "full",
    },
  },
  sandbox: {
    kind: executors,
    flag: {
      flags: "--sandbox <executor>",
      description: "Sandbox for programs of skills; local: none",
      values: executors,
    },
  },
  tools: {
    kind: "texts",
    flag: { flags: "--tools <names>", description: "Offer only these tools, for example Read,Grep" },
  },
  appendSystemPrompt: {
    kind: "text",
    flag: { flags: "--append-system-prompt <text>", description: "Append this to the system prompt" },
  },
  attending: { kind: "switch" },
};

/** The keys of all options. */
export const optionKeys = Object.keys(rows) as readonly (keyof SessionOptions)[];

/** What the option with this key may be. */
export function kindOf(key: keyof SessionOptions): Kind {
  return rows[key].kind;
}

/** The command-line options that set options of a session. */
export const optionFlags: readonly CliOption[] = Object.values(rows).flatMap(({ flag, short }) => [
  ...(flag ? [flag] : []),
  ...(short ? [short.flag] : []),
]);

/** Returns the options that are set, and nothing else of the object. */
export function optionsOf(from: SessionOptions): SessionOptions {
  return Object.fromEntries(optionKeys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));
}

/** Returns the options that parsed command-line options set. A list may be given as one text with commas. */
export function optionsFrom(parsed: Readonly<Record<string, unknown>>): SessionOptions {
  return Object.fromEntries(optionKeys.map((key) => [key, valueIn(key, parsed)]));
}

function valueIn(key: keyof SessionOptions, parsed: Readonly<Record<string, unknown>>): unknown {
  const { kind, short } = rows[key];
  const isShort = short !== undefined && Boolean(parsed[short.flag.flags.replace("--", "")]);
  const value = parsed[key] ?? (isShort ? short.value : undefined);
  if (kind !== "texts" || typeof value !== "string") return value;
  return value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
