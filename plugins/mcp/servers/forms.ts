import { lineOf } from "@scorel/kit/text/one-line";
import { isTable, type Table } from "@scorel/kit/values/table";
import type { Question, RequestsService } from "@scorel/requests/contract";

/** Fields of one form, and answers of one field. */
const MOST_FIELDS = 12;
const MOST_OPTIONS = 50;
const MOST_TITLE = 200;
/** The answer to a field with options that leaves it empty. */
const EMPTY = "0";

type Value = string | number | boolean;

/** A field of a form that a server wants a person to fill in. */
export interface Field {
  name: string;
  title: string;
  type: "string" | "number" | "integer" | "boolean";
  /** The only answers. */
  options?: readonly { value: string; label: string }[];
  required: boolean;
  /** The value of a field that is left as it is. */
  initial?: Value;
}

/** The fields of a form; undefined for one with fields that people cannot be asked for. */
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
  const { type, title, description, default: initial } = table;
  if (type !== "string" && type !== "number" && type !== "integer" && type !== "boolean") return undefined;
  const words = [title, description].filter((text) => typeof text === "string" && text !== "");
  const shown = lineOf(words.length > 0 ? words.join(": ") : name).slice(0, MOST_TITLE);
  const options = type === "string" ? optionsIn(table) : undefined;
  const field: Omit<Field, "initial"> = { name, title: shown, type, required, ...(options && { options }) };
  return { ...field, ...(fits(field, initial) && { initial }) };
}

/** The answers of an enum: with names of their own in `enumNames`, or as `oneOf` with titles. */
function optionsIn({ enum: values, enumNames: names, oneOf }: Table): Field["options"] {
  if (Array.isArray(oneOf))
    return oneOf
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

function fits({ type, options }: Omit<Field, "initial">, value: unknown): value is Value {
  if (options) return options.some((option) => option.value === value);
  if (type === "integer") return Number.isSafeInteger(value);
  return type === "number" ? Number.isFinite(value) : typeof value === type;
}

/** Asks a person for a field. Undefined for one that stays empty, null if the person dismisses the question. */
export async function answerTo(
  requests: RequestsService,
  server: string,
  field: Field,
  signal: AbortSignal,
): Promise<Value | undefined | null> {
  for (let problem = ""; ; problem = PROBLEMS[field.type]) {
    const { answer } = await requests.ask(questionFor(server, field, problem), { signal });
    if (answer === null) return null;
    const given = answer.trim();
    const value = valueIn(field, given);
    if (value !== undefined || (!field.required && (given === "" || given === EMPTY))) return value;
  }
}

/** What is said when an answer does not fit. */
const PROBLEMS: Readonly<Record<Field["type"], string>> = {
  integer: "A whole number, please. ",
  number: "A number, please. ",
  string: "It may not stay empty. ",
  boolean: "",
};

function questionFor(server: string, field: Field, problem: string): Omit<Question, "plugin"> {
  const { type, options, required, initial } = field;
  const title = `${server}: ${problem}${field.title}${noteOn(field)}`;
  if (type === "boolean") return { kind: "confirm", title, fallback: initial === true ? "y" : "n" };
  if (!options) return { kind: "input", title, fallback: initial === undefined ? "" : String(initial) };
  const chosen = options.findIndex(({ value }) => value === initial);
  const rows = options.map(({ label }, at) => ({ value: String(at + 1), label }));
  const empty = required ? [] : [{ value: EMPTY, label: "(leave it empty)" }];
  const fallback = chosen >= 0 ? { fallback: String(chosen + 1) } : required ? {} : { fallback: EMPTY };
  return { kind: "select", title, options: [...rows, ...empty], ...fallback };
}

function noteOn({ type, required, initial, options }: Field): string {
  if (initial !== undefined && type !== "boolean") {
    const shown =
      options?.find(({ value }) => value === initial)?.label ?? lineOf(String(initial)).slice(0, MOST_TITLE);
    return ` (else ${shown})`;
  }
  return required || type === "boolean" ? "" : " (may stay empty)";
}

function valueIn({ type, options, initial }: Field, given: string): Value | undefined {
  if (type === "boolean") return given === "y";
  if (options) return options[Number(given) - 1]?.value;
  if (given === "") return initial;
  if (type === "string") return given;
  const number = Number(given);
  return Number.isFinite(number) && (type === "number" || Number.isInteger(number)) ? number : undefined;
}
