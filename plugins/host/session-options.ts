/** Reads, checks, copies and offers the options of a session, as plugins contribute them. Runs in browsers too. */

import type { CliOption } from "@scorel/cli/contract";
import type { SessionOption, SessionOptions } from "@scorel/workspace/contract";
import { shippedOptions } from "./shipped-options.ts";

type Rows = readonly SessionOption[];

/** The command-line options that set options of a session. */
export function optionFlags(rows: Rows = shippedOptions): CliOption[] {
  return rows.flatMap(({ kind, flag, short }) => [
    ...(flag ? [{ ...(typeof kind === "object" && { values: kind }), ...flag }] : []),
    ...(short ? [{ ...short.flag, ...(flag && { means: { option: nameIn(flag.flags), value: short.value } }) }] : []),
  ]);
}

/** `--allow-write` of `--allow-write <dir>`. */
function nameIn(flags: string): string {
  return flags.split(" ", 1)[0] as string;
}

/** Returns only those properties of an object that are session options and are set. */
export function optionsOf(from: SessionOptions, rows: Rows = shippedOptions): SessionOptions {
  const values = from as Readonly<Record<string, unknown>>;
  return Object.fromEntries(rows.flatMap(({ key }) => (values[key] === undefined ? [] : [[key, values[key]]])));
}

/** Converts parsed command-line options to session options. A list may be a single string with commas. */
export function optionsFrom(parsed: Readonly<Record<string, unknown>>, rows: Rows = shippedOptions): SessionOptions {
  return Object.fromEntries(rows.map((row) => [row.key, valueIn(row, parsed)]));
}

function valueIn({ key, kind, short }: SessionOption, parsed: Readonly<Record<string, unknown>>): unknown {
  const isShort = short !== undefined && Boolean(parsed[keyOf(short.flag.flags)]);
  const value = parsed[key] ?? (isShort ? short.value : undefined);
  if (kind !== "texts" || typeof value !== "string") return value;
  return value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Returns the property name of a parsed flag: `allowWrite` for `--allow-write <dir>`. */
export function keyOf(flags: string): string {
  const [long = ""] = /--[^\s=,]+/.exec(flags) ?? [];
  return long.slice(2).replace(/-([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}
