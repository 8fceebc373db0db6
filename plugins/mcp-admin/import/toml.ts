import { TomlError } from "smol-toml";

/** Where a text is not TOML; undefined for other errors. The parser's message quotes the lines there, which may hold a key. */
export function tomlFlaw(thrown: unknown): string | undefined {
  if (!(thrown instanceof TomlError)) return undefined;
  return `it is not valid TOML (line ${thrown.line}, column ${thrown.column})`;
}
