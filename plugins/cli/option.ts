import type { CliOption } from "./contract.ts";

/** A declared option with its flags taken apart. */
export interface Option extends CliOption {
  /** As typed: `--allow-write`, `-p`. */
  names: readonly string[];
  /** The longest name: what messages and the parser use. */
  long: string;
  /** As a property: `allowWrite`. */
  key: string;
  /** `<format>` or `[format]` when it takes a value. */
  value: string | undefined;
  /** May stand without its value. */
  optional: boolean;
}

/** Takes `-p, --print <prompt>` apart. */
export function readOption(option: CliOption): Option {
  const value = /[<[].*$/.exec(option.flags)?.[0];
  const names = option.flags
    .replace(value ?? "", "")
    .split(",")
    .map((name) => name.trim());
  const long = [...names].sort((a, b) => b.length - a.length)[0] ?? "";
  const key = long.replace(/^-+/, "").replace(/-([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
  return { ...option, names, long, key, value, optional: value?.startsWith("[") ?? false };
}
