import { lineOf } from "@scorel/kit/text/one-line";
import { isTable, type Table } from "@scorel/kit/values/table";
import { type FieldType, type Limits, limitsIn, problemOf, type Value } from "./limits.ts";

/** Most fields of a form, and most options of a field. */
const MOST_FIELDS = 12;
const MOST_OPTIONS = 50;
export const MOST_TITLE = 200;
const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean", "list"];

export interface Option {
  value: string;
  label: string;
}

/** A field of a form that a server wants a person to fill in. */
export interface Field {
  name: string;
  title: string;
  type: FieldType;
  /** The allowed answers, if they are limited to a list. */
  options?: readonly Option[];
  limits: Limits;
  required: boolean;
  /** The default value. */
  initial?: Value;
}

/** Reads the fields of a form. Undefined if people cannot be asked for one of them. */
export function fieldsOf(schema: unknown): Field[] | undefined {
  const { properties, required } = isTable(schema) ? schema : {};
  if (!isTable(properties)) return undefined;
  const needed = Array.isArray(required) ? required : [];
  const entries = Object.entries(properties);
  if (entries.length > MOST_FIELDS) return undefined;
  const fields = entries.map(([name, given]) => fieldOf(name, given, needed.includes(name)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function fieldOf(name: string, given: unknown, required: boolean): Field | undefined {
  const table = isTable(given) ? given : ({} as Table);
  const { type, options } = kindOf(table);
  if (type === undefined) return undefined;
  const words = [table.title, table.description].filter((text) => typeof text === "string" && text !== "");
  const title = lineOf(words.length > 0 ? words.join(": ") : name).slice(0, MOST_TITLE);
  const field: Field = { name, title, type, limits: limitsIn(table, type), required, ...(options && { options }) };
  const initial = table.default;
  return fits(field, initial) ? { ...field, initial } : field;
}

function kindOf(table: Table): { type?: FieldType; options?: readonly Option[] | undefined } {
  const { type, items } = table;
  if (type === "array") {
    const options = isTable(items) ? optionsIn(items) : undefined;
    return options ? { type: "list", options } : {};
  }
  if (!TYPES.includes(type)) return {};
  return { type: type as FieldType, ...(type === "string" && { options: optionsIn(table) }) };
}

/** The options of an enum: named by `enumNames`, or given as `oneOf` or `anyOf` with titles. */
function optionsIn({ enum: values, enumNames: names, oneOf, anyOf = oneOf }: Table): readonly Option[] | undefined {
  if (Array.isArray(anyOf))
    return anyOf
      .filter((each) => isTable(each) && typeof each.const === "string")
      .slice(0, MOST_OPTIONS)
      .map(({ const: value, title }) => ({ value, label: labelOf(title, value) }));
  if (!Array.isArray(values)) return undefined;
  return values
    .map((value, at) => ({ value, label: labelOf(Array.isArray(names) ? names[at] : undefined, String(value)) }))
    .filter(({ value }) => typeof value === "string")
    .slice(0, MOST_OPTIONS);
}

const labelOf = (title: unknown, value: string) =>
  lineOf(typeof title === "string" && title !== "" ? title : value).slice(0, MOST_TITLE);

/** Whether the default from the server is valid for the field. */
function fits({ type, options = [], limits }: Field, value: unknown): value is Value {
  const isOption = (each: unknown) => options.some((option) => option.value === each);
  if (type === "list")
    return Array.isArray(value) && value.every(isOption) && problemOf(type, limits, value) === undefined;
  const isOfType = type === "number" || type === "integer" ? Number.isFinite(value) : typeof value === type;
  if (!isOfType || (options.length > 0 && !isOption(value))) return false;
  return problemOf(type, limits, value as Value) === undefined;
}
