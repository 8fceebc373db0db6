import type { SlashCommand } from "@scorel/commands/contract";
import { nearest } from "@scorel/kit/values/nearest";
import { knownWords } from "../words.ts";

/** The form of a contribution. */
interface Shape {
  /** A list of rows, or a table of rows by name. */
  rows: "list" | "table";
  /** The word for one row, for messages. */
  row: string;
  /** The fields of a row; absent for rows that are functions. */
  fields?: readonly string[];
  /** The names that rows of a table can have, if they are known. */
  names?: readonly string[];
  /** The fields that each row must have, for contributions that are only collected at their first use and are checked before. */
  required?: Readonly<Record<string, "function" | "object" | "string">>;
  /** Set if the contribution is only collected from host plugins. */
  hostOnly?: true;
}

/** The fields of a command. The type makes a missing one a compile error. */
const commandFields = {
  summary: true,
  description: true,
  group: true,
  hint: true,
  args: true,
  operations: true,
  keys: true,
  choices: true,
  complete: true,
  run: true,
  handler: true,
} satisfies Record<Exclude<keyof SlashCommand, "sealed">, true>;

/**
 * The forms of contributions, according to their types in the contracts. `contributionFlaws` finds only mistakes that collectors do not
 * report; collectors themselves report rows that cannot be used at all.
 */
const shapes: Readonly<Record<string, Shape>> = {
  tools: { rows: "list", row: "tool", fields: knownWords.toolFields },
  commands: {
    ...{ rows: "table", row: "command" },
    fields: Object.keys(commandFields),
  },
  toolWrappers: { rows: "table", row: "wrapper of tool" },
  serviceWrappers: { rows: "table", row: "wrapper of service", names: knownWords.services },
  displays: { rows: "table", row: "display of" },
  markedWords: {
    rows: "list",
    row: "entry",
    fields: ["sign", "complete"],
    required: { sign: "string", complete: "function" },
  },
  promptParts: { rows: "list", row: "part", fields: ["section", "priority", "text", "source"] },
  operations: {
    ...{ rows: "table", row: "operation" },
    fields: ["summary", "readOnly", "confined", "checksOperations", "paths", "size", "params", "result", "run"],
  },
  cliCommands: {
    ...{ rows: "list", row: "command", hostOnly: true },
    fields: [
      ...["noun", "synonyms", "action", "otherActions", "args", "completes", "description", "options"],
      ...["opensSession", "usesProject", "run"],
    ],
  },
  folderOptions: {
    ...{ rows: "list", row: "option", hostOnly: true },
    fields: ["flags", "description", "values", "completes", "default", "repeatable", "mayBeEmpty", "means", "enter"],
  },
  completionSources: {
    ...{ rows: "list", row: "source", hostOnly: true },
    fields: ["kind", "values"],
  },
  sessionOptions: {
    ...{ rows: "list", row: "option", hostOnly: true },
    fields: ["key", "kind", "flag", "short", "setting", "widens"],
  },
  providers: {
    ...{ rows: "table", row: "provider", required: { baseUrl: "string", models: "object" } },
    fields: ["label", "baseUrl", "api", "stream", "models", "apiKeyEnv", "keyHeader", "headers", "login"],
  },
};

/** Names that other programs use for fields of rows, with the name in Scorel. */
const otherNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tools: {
    input_schema: "parameters",
    inputSchema: "parameters",
    schema: "parameters",
    run: "execute",
    handler: "execute",
  },
  commands: { execute: "run", help: "summary" },
};

/** Whether a contribution is only collected from host plugins. */
export function isHostOnly(contribution: string): boolean {
  return Object.hasOwn(shapes, contribution) && shapes[contribution]?.hostOnly === true;
}

/** The mistakes in a contribution that its collector ignores: unknown fields, and rows that are never collected. */
export function contributionFlaws(name: string, value: unknown): string[] {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (!shape || typeof value !== "object" || value === null) return [];
  const { rows, row, fields, names } = shape;
  if (rows === "list")
    return fields === undefined
      ? []
      : asList(value).flatMap((each) => rowFlaws(name, `the ${row} ${titleOf(each)}`, each, fields));
  return Object.entries(value).flatMap(([key, each]) => [
    ...(names === undefined || names.includes(key) ? [] : nameFlaws(row, key, names)),
    ...(fields === undefined ? [] : rowFlaws(name, `the ${row} "${key}"`, each, fields)),
  ]);
}

const asList = (value: object): unknown[] => (Array.isArray(value) ? value : [value]);

function titleOf(row: unknown): string {
  const { name, noun, key, sign, section } = Object(row) as Record<string, unknown>;
  return JSON.stringify(name ?? noun ?? key ?? sign ?? section ?? "?");
}

function nameFlaws(row: string, key: string, names: readonly string[]): string[] {
  const near = nearest(key, names);
  return near === undefined ? [] : [`there is no ${row.split(" ").at(-1)} "${key}": did you mean "${near}"?`];
}

/** The rows of a contribution that cannot be used. Collectors report them, too, but some only at the first use. */
export function unusableRows(name: string, value: unknown): string[] {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (!shape || value === undefined || value === null) return [];
  const { rows, row, fields, required } = shape;
  if (typeof value !== "object" || (rows === "table" && Array.isArray(value))) return [`it is no ${rows} of rows`];
  if (fields === undefined)
    return Object.entries(value).flatMap(([key, each]) =>
      typeof each === "function" ? [] : [`the ${row} "${key}" is not a function`],
    );
  const each =
    rows === "list"
      ? asList(value).map((one) => [titleOf(one), one])
      : Object.entries(value).map(([key, one]) => [JSON.stringify(key), one]);
  return required === undefined
    ? []
    : each.flatMap(([title, one]) => missingFields(`the ${row} ${title}`, one, required));
}

function missingFields(what: string, row: unknown, required: NonNullable<Shape["required"]>): string[] {
  if (typeof row !== "object" || row === null) return [`${what} is not an object`];
  return Object.entries(required).flatMap(([field, kind]) => {
    const value = (row as Record<string, unknown>)[field];
    const isRight = kind === "object" ? Object(value) === value : typeof value === kind;
    return isRight ? [] : [`${what} has no ${kind === "object" ? "list or function" : kind} "${field}"`];
  });
}

/** The unknown fields of a row. Instances of classes are not checked, since they may have other members. */
function rowFlaws(name: string, what: string, row: unknown, fields: readonly string[]): string[] {
  if (typeof row !== "object" || row === null || Object.getPrototypeOf(row) !== Object.prototype) return [];
  const present = Object.keys(row);
  return present
    .filter((field) => !fields.includes(field) && !field.startsWith("_"))
    .map((field) => {
      const near = otherNames[name]?.[field] ?? nearest(field, fields);
      const advice =
        near === undefined || present.includes(near) ? `there are ${fields.join(", ")}` : `did you mean "${near}"?`;
      return `${what} has a field "${field}", which is not supported: ${advice}`;
    });
}
