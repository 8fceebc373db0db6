import { nearest } from "@scorel/kit/values/nearest";
import { knownWords, otherNames } from "../words.ts";
import { isHostOnly } from "./contribution-flaws.ts";

/** Fields that Scorel does not use but accepts, because they are common in packages. */
const information = ["description", "author", "license", "homepage", "repository"];

/** An unknown field of a plugin, and the field that was probably meant. */
export interface UnknownField {
  name: string;
  near?: string;
  /** Advice, if it is more than "did you mean …?". */
  advice?: string;
}

/** All reasons why a plugin cannot start: missing fields, and fields of the wrong type. Contributions are checked elsewhere. */
export function manifestFlaws(plugin: Record<string, unknown>): string[] {
  const missing = ["id", "name", "version"].filter(
    (field) => typeof plugin[field] !== "string" || plugin[field] === "",
  );
  const { scope, config } = plugin;
  const wrong = (fields: readonly string[], isRight: (value: unknown) => boolean, kind: string) =>
    fields
      .filter((field) => plugin[field] !== undefined && !isRight(plugin[field]))
      .map((field) => `its "${field}" is not ${kind}`);
  return [
    ...missing.map((field) => `its "${field}" is missing or not a string`),
    ...(scope === undefined || scope === "host" || scope === "session"
      ? []
      : ['its scope is neither "host" nor "session"']),
    ...wrong(["needs", "provides", "replaces"], isTexts, "a list of strings"),
    ...wrong(["activate", "deactivate", "hooks", "onEvent"], (value) => typeof value === "function", "a function"),
    ...wrong(["events", "projections"], isTableOfTables, "a table of definitions"),
    ...definitionFlaws(plugin),
    ...(config === undefined || isSchema(config) ? [] : ['its "config" is not a zod schema']),
  ];
}

/** The mistakes in event types and projections. Without this check, they would only be noticed long after the start. */
function definitionFlaws({ events, projections }: Record<string, unknown>): string[] {
  const rowsOf = (table: unknown) => (isTableOfTables(table) ? Object.entries(table as object) : []);
  return [
    ...rowsOf(events).flatMap(([type, row]) => {
      const other = Object.keys(row).find((key) => !eventFields.includes(key) && nearest(key, ["schema"]));
      const written = other === undefined ? "" : `; it has "${other}", which is probably meant`;
      return isSchema(row.schema) ? [] : [`its event "${type}" has no "schema" that is a zod schema${written}`];
    }),
    ...rowsOf(projections).flatMap(([name, { over, init, update }]) => [
      ...(over === "log" || over === "path" ? [] : [`its projection "${name}" is over neither "log" nor "path"`]),
      ...(typeof init === "function" ? [] : [`its projection "${name}" has an "init" that is not a function`]),
      ...(typeof update === "function" ? [] : [`its projection "${name}" has an "update" that is not a function`]),
    ]),
  ];
}

const eventFields = [
  "schema",
  "transient",
  "importable",
  "copied",
  "barrier",
  "leaf",
  "leafReads",
  "convertsAnew",
  "inFlight",
];

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isTableOfTables(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && Object.values(value).every((row) => row && typeof row === "object")
  );
}

/** Whether a value is a zod schema, as far as it can be told without loading zod. */
export function isSchema(value: unknown): boolean {
  return typeof (value as { safeParse?: unknown } | null | undefined)?.safeParse === "function";
}

/**
 * The unknown fields of an exported plugin. Names that begin with `_` are reserved for authors and not returned. An instance of a class may
 * have other members, so only those that resemble a missing field are returned.
 */
export function unknownFields(exported: object, names = Object.keys(exported)): UnknownField[] {
  const { scope } = exported as { scope?: unknown };
  const unasked = scope === "host" ? [] : names.filter(isHostOnly);
  return [
    ...unknownNames(names, Object.getPrototypeOf(exported) === Object.prototype),
    ...unasked.map((name) => ({ name, advice: 'only plugins with scope: "host" are asked for it' })),
  ];
}

/** The names that are not fields of a plugin: all of them, or only those that resemble a missing field. */
export function unknownNames(names: readonly string[], all: boolean): UnknownField[] {
  const { fields } = knownWords;
  return names
    .filter((name) => !fields.includes(name) && !information.includes(name) && !name.startsWith("_"))
    .map((name) => {
      const near = nearest(name, fields) ?? (all && Object.hasOwn(otherNames, name) ? otherNames[name] : undefined);
      return { name, ...(near !== undefined && !names.includes(near) && { near }) };
    })
    .filter(({ near }) => all || near !== undefined);
}

/** Advice about an unknown field. */
export function adviceFor({ near, advice }: UnknownField): string {
  if (advice !== undefined) return advice;
  return near === undefined ? "your own names begin with _" : `did you mean "${near}"?`;
}
