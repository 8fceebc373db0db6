import { readFileSync } from "node:fs";
import { codeOf, messageOf } from "@scorel/kernel";
import { createKeyLocator, type KeyLocator } from "@scorel/kit/text/key-locator";
import { remembered } from "@scorel/kit/values/remembered";
import { isTable, type Table } from "@scorel/kit/values/table";
import type { PresetPackage } from "@scorel/workspace/contract";
import { parse, TomlError } from "smol-toml";
import { errors } from "../errors.ts";

/** Maximum number of file texts whose key locators are cached. */
const KEPT_TEXTS = 50;

/**
 * Maximum depth of nested tables and arrays. The functions that read them call themselves for each level, and those that show a file for
 * review must not fail where those that use it do not.
 */
const DEEPEST = 100;

/** Who wrote a layer. A project's own files may set less than the user's. */
export type LayerKind = "shipped" | "user" | "project";

/** One TOML file of presets or configuration. */
export interface Layer {
  kind: LayerKind;
  /** The path for messages: `presets/coding.toml` if shipped, else absolute; for a project the original, not the private copy. */
  file: string;
  /** The absolute path of the file that is read; relative paths in the layer start at its folder. */
  path: string;
  table: Table;
  locate: KeyLocator;
  /** The preset folder, if the file is the `preset.toml` of one. */
  pack?: PresetPackage;
  /** The folder that all paths in `extends` must be in; absent if they are not limited. */
  within?: Pick<PresetPackage, "folder" | "root">;
  /** Where the file was named: `--preset`, or `file:line` of an `extends`. */
  by?: string;
  /** The layers that extend this one, the outermost first; empty if it was named directly. */
  askedBy?: readonly Layer[];
}

/** Whether a layer belongs to a project: it is a file of the project, or a preset that such a file extends. */
export function isOfProject({ kind, askedBy = [] }: Layer): boolean {
  return kind === "project" || askedBy.some((layer) => layer.kind === "project");
}

/** Reads one layer. Throws CONFIG_TOML with file, line and column, CONFIG_FILE_MISSING, CONFIG_UNREADABLE or CONFIG_NESTED. */
export function readLayer(path: string, kind: LayerKind, file = path): Layer {
  return parseLayer(readText(path, file), path, kind, file);
}

/** Parses the text of a layer. Throws CONFIG_TOML, or CONFIG_NESTED if it is nested too deeply. */
export function parseLayer(text: string, path: string, kind: LayerKind, file = path): Layer {
  const table = parsed(text, file);
  if (isTooDeep(table)) throw errors.CONFIG_NESTED({ file, levels: DEEPEST });
  return { kind, file, path, table, locate: (key) => locatorOf(text)(key) };
}

function isTooDeep(table: Table): boolean {
  let values: unknown[] = [table];
  for (let depth = 0; values.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    values = values.flatMap((value) => (Array.isArray(value) ? value : isTable(value) ? Object.values(value) : []));
  }
  return false;
}

function parsed(text: string, file: string): Table {
  try {
    return parse(text);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const said = thrown.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    const reason = reasonOf(said, text, thrown);
    throw errors.CONFIG_TOML({ file, line: thrown.line, column: thrown.column, reason }, { cause: thrown });
  }
}

/** The parser's message, or a plainer one for two frequent mistakes. */
function reasonOf(said: string, text: string, { line, column }: TomlError): string {
  if (/redefine/.test(said)) return secondTime(text, line);
  const isAtEnd = /^\r?$/.test(text.split("\n")[line - 1]?.slice(column - 1) ?? "");
  if (/^unfinished string/.test(said) || (isAtEnd && /control characters .* strings/.test(said)))
    return "the string is not closed";
  return said;
}

/** The message about a table or key that is defined twice. */
function secondTime(text: string, line: number): string {
  const lines = text.split("\n");
  const nameIn = (row = "") => (/^\s*(\[[^\]]*\])/.exec(row) ?? /^\s*([^=#]*[^=#\s])\s*=/.exec(row))?.[1];
  const name = nameIn(lines[line - 1]);
  if (name === undefined) return "a table or key in this line is defined already";
  const isTable = name.startsWith("[");
  const earlier = lines.findIndex((row, at) => at < line - 1 && nameIn(row) === name);
  const first = earlier < 0 || !isTable ? "" : ` (first in line ${earlier + 1})`;
  return isTable
    ? `the table ${name} is defined a second time${first}; put all its keys below one ${name}`
    : `the key ${name} is defined a second time; remove one of them`;
}

/** `file:line` of a key, or only the file if the line is not certain. */
export function placeOf(layer: Layer, path: readonly (string | number)[]): string {
  const line = layer.locate(path);
  return line === undefined ? layer.file : `${layer.file}:${line}`;
}

/** The presets that a layer extends, each with its `file:line`. Values of another type are reported by the schema. */
export function extended(layer: Layer): [preset: string, place: string][] {
  const value = layer.table.extends;
  if (typeof value === "string") return [[value, placeOf(layer, ["extends"])]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((preset, index) =>
    typeof preset === "string" ? [[preset, placeOf(layer, ["extends", index])] as [string, string]] : [],
  );
}

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") throw errors.CONFIG_FILE_MISSING({ file }, { cause: thrown });
    throw errors.CONFIG_UNREADABLE({ file, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** Finds the lines of keys when a message first needs one. Cached, because a host reads the same files for each session. */
const locatorOf = remembered(createKeyLocator, KEPT_TEXTS);
