import { TomlError } from "smol-toml";

/**
 * Where the text is invalid TOML; undefined for other errors. Does not use the parser's message, since it quotes lines that may contain a
 * key.
 */
export function tomlFlaw(thrown: unknown): string | undefined {
  if (!(thrown instanceof TomlError)) return undefined;
  return `it is not valid TOML (line ${thrown.line}, column ${thrown.column})`;
}
