import type { Table } from "@scorel/kit/values/table";
import { z } from "zod";

/** The type of a field. A `list` is a selection of its options. */
export type FieldType = "string" | "number" | "integer" | "boolean" | "list";
export type Value = string | number | boolean | string[];

/**
 * The limits of a value. `least` and `most` apply to a number, to the number of characters of a string, or to the number of chosen options.
 */
export interface Limits {
  least?: number;
  most?: number;
  format?: Format;
}
type Format = "email" | "uri" | "date" | "date-time";

/** How each format is checked, and its name for people. */
const FORMATS: Readonly<Record<Format, { schema(): z.ZodType; words: string }>> = {
  email: { schema: () => z.email(), words: "an email address" },
  uri: { schema: () => z.url(), words: "an address such as https://example.com" },
  date: { schema: () => z.iso.date(), words: "a date such as 2026-01-31" },
  "date-time": {
    schema: () => z.iso.datetime({ offset: true }),
    words: "a date and time such as 2026-01-31T12:00:00Z",
  },
};

/** Keywords for the limits in the JSON Schema of a field. */
const KEYS: Readonly<Record<FieldType, readonly [least: string, most: string]>> = {
  integer: ["minimum", "maximum"],
  number: ["minimum", "maximum"],
  string: ["minLength", "maxLength"],
  list: ["minItems", "maxItems"],
  boolean: ["", ""],
};

/** Reads the limits of a field from its schema. Keywords that the protocol does not have are ignored. */
export function limitsIn(table: Table, type: FieldType): Limits {
  const [least, most] = KEYS[type].map((key) => table[key]);
  const { format } = table;
  return {
    ...(isNumber(least) && { least }),
    ...(isNumber(most) && { most }),
    ...(type === "string" && isFormat(format) && { format }),
  };
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isFormat = (value: unknown): value is Format => typeof value === "string" && Object.hasOwn(FORMATS, value);

/** Describes what is wrong with a value; undefined if it is within the limits. */
export function problemOf(type: FieldType, limits: Limits, value: Value): string | undefined {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, format } = limits;
  const size = sizeOf(value);
  const isWithin = Number.isFinite(size) && size >= least && size <= most;
  const isWhole = type !== "integer" || Number.isSafeInteger(value);
  const isFormatted = format === undefined || FORMATS[format].schema().safeParse(value).success;
  return isWithin && isWhole && isFormatted ? undefined : wantedOf(type, limits);
}

/** JSON Schema counts Unicode characters, not UTF-16 code units. */
function sizeOf(value: Value): number {
  if (typeof value === "number") return value;
  return typeof value === "string" ? [...value].length : Array.isArray(value) ? value.length : 0;
}

/** Describes a valid answer for people. */
export function wantedOf(type: FieldType, { least, most, format }: Limits): string {
  if (type === "integer" || type === "number") {
    const what = type === "integer" ? "a whole number" : "a number";
    const range = rangeOf(least, most);
    return range === "" ? what : `${what}${least !== undefined && most !== undefined ? " from" : " of"} ${range}`;
  }
  const range = rangeOf(least, most);
  if (type === "list") return range === "" ? "numbers of these" : `${range} of these`;
  const length = range === "" ? [] : [`${range} characters`];
  return [...(format ? [FORMATS[format].words] : []), ...length].join(" of ");
}

function rangeOf(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return least === most ? `${least}` : `${least} to ${most}`;
  return least !== undefined ? `at least ${least}` : most !== undefined ? `at most ${most}` : "";
}
