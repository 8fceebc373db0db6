import type { CliOption } from "./contract.ts";

/** An option with its flags parsed. */
export interface Option extends CliOption {
  /** All names as typed, such as `--allow-write` and `-p`. */
  names: readonly string[];
  /** The longest name, used in messages and by the parser. */
  long: string;
  /** Property name, such as `allowWrite`. */
  key: string;
  /** `<format>` or `[format]` if the option takes a value. */
  value: string | undefined;
  /** True when the value may be omitted. */
  optional: boolean;
}

/** Parses flags such as `-p, --print <prompt>`. */
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
