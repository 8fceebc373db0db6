import { readFileSync } from "node:fs";
import { messageOf } from "@scorel/kernel";
import { createKeyLocator, type KeyLocator } from "@scorel/kit/text/key-locator";
import type { Table } from "@scorel/kit/values/table";
import type { PresetPackage } from "@scorel/workspace/contract";
import { parse, TomlError } from "smol-toml";
import { errors } from "../errors.ts";

/** Who wrote a layer, and so what it may set: a project's own files reach less far than the user's. */
export type LayerKind = "shipped" | "user" | "project";

/** One TOML file of presets or configuration. */
export interface Layer {
  kind: LayerKind;
  /** As people see it: `presets/coding.toml` when shipped, else the absolute path; in a project, not its private copy. */
  file: string;
  /** Where relative paths in it start: the absolute path of the file. */
  path: string;
  table: Table;
  locate: KeyLocator;
  /** The preset that is a folder, when it is the `preset.toml` of one. */
  pack?: PresetPackage;
  /** All that it may build on by path, as people see it and where its bytes are read. Absent where that is not limited. */
  within?: Pick<PresetPackage, "folder" | "root">;
  /** Who names it: `--preset`, or `file:line` of an `extends`. */
  by?: string;
  /** The layers that build on it, the outermost first; none where it stands for itself. */
  askedBy?: readonly Layer[];
}

/** Whether a project says it: in a file of its own, or in a preset that it builds on. */
export function isOfProject({ kind, askedBy = [] }: Layer): boolean {
  return kind === "project" || askedBy.some((layer) => layer.kind === "project");
}

/** Reads one layer; throws CONFIG_TOML with file, line and column, or CONFIG_UNREADABLE. */
export function readLayer(path: string, kind: LayerKind, file = path): Layer {
  return parseLayer(readText(path, file), path, kind, file);
}

/** A layer of this text; throws CONFIG_TOML. */
export function parseLayer(text: string, path: string, kind: LayerKind, file = path): Layer {
  try {
    return { kind, file, path, table: parse(text), locate: lazily(() => createKeyLocator(text)) };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const said = thrown.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    const reason = /redefine/.test(said) ? secondTime(text, thrown.line) : said;
    throw errors.CONFIG_TOML({ file, line: thrown.line, column: thrown.column, reason }, { cause: thrown });
  }
}

/** What is said of a table or key that stands in a text twice. */
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

/** `file:line` of a key, or only the file where the line is not known for sure. */
export function placeOf(layer: Layer, path: readonly (string | number)[]): string {
  const line = layer.locate(path);
  return line === undefined ? layer.file : `${layer.file}:${line}`;
}

/** What a layer extends, with where it says so; values of another type are reported with the rest of the layer. */
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
    throw errors.CONFIG_UNREADABLE({ file, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** Positions are read only when a message needs one. */
function lazily(create: () => KeyLocator): KeyLocator {
  let locator: KeyLocator | undefined;
  return (path) => {
    locator ??= create();
    return locator(path);
  };
}
