import { lineOf } from "@scorel/kit/text/one-line";
import type { Question, RequestsService } from "@scorel/requests/contract";
import { type Field, MOST_TITLE, type Option } from "./fields.ts";
import { problemOf, type Value, wantedOf } from "./limits.ts";

/** How often a field is asked about. A client that answers automatically could give the same invalid answer forever. */
const MOST_ATTEMPTS = 10;
/** Answer that leaves a field with options empty. */
const EMPTY = "0";

/** The value of an answer, or what is wrong with it. Neither if the field stays empty. */
type Read = { value?: Value; problem?: string };

/** The server that asks, and an id that tells clients which questions belong to the same form. */
export interface Form {
  server: string;
  id: string;
}

/** Asks a person for a field. Resolves with undefined if the field is left empty, and with null if the person dismisses the question. */
export async function answerTo(
  requests: RequestsService,
  { server, id }: Form,
  field: Field,
  signal: AbortSignal,
): Promise<Value | undefined | null> {
  let problem = "";
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const { answer } = await requests.ask({ ...questionFor(server, field, problem), data: { form: id } }, { signal });
    if (answer === null) return null;
    const read = readAnswer(field, answer.trim());
    if (read.problem === undefined) return read.value;
    problem = `${read.problem.charAt(0).toUpperCase()}${read.problem.slice(1)} `;
  }
  return null;
}

function questionFor(server: string, field: Field, problem: string): Omit<Question, "plugin"> {
  const { type, options = [], required, initial } = field;
  const title = `${server}: ${problem}${field.title}${noteOn(field)}`;
  if (type === "boolean") return { kind: "confirm", title, fallback: initial === true ? "y" : "n" };
  if (type === "list") {
    const rows = options.map(({ label }, at) => `\n  ${at + 1} ${label}`);
    return { kind: "input", title: title + rows.join(""), fallback: initial === undefined ? "" : numbersOf(field) };
  }
  if (!field.options) return { kind: "input", title, fallback: initial === undefined ? "" : String(initial) };
  const chosen = options.findIndex(({ value }) => value === initial);
  const rows = options.map(({ label }, at) => ({ value: String(at + 1), label }));
  const empty = required ? [] : [{ value: EMPTY, label: "(leave it empty)" }];
  const fallback = chosen >= 0 ? { fallback: String(chosen + 1) } : required ? {} : { fallback: EMPTY };
  return { kind: "select", title, options: [...rows, ...empty], ...fallback };
}

/** Describes valid answers, and what happens if the field is left as it is. */
function noteOn(field: Field): string {
  const { type, limits, required, initial } = field;
  const isLimited = Object.keys(limits).length > 0 && (type === "list" || !field.options);
  const how = type === "list" ? ["numbers with commas between them"] : [];
  const wanted = isLimited ? [...how, wantedOf(type, limits)] : how;
  const otherwise = initial !== undefined && type !== "boolean" ? [`else ${initialOf(field)}`] : [];
  const empty = initial === undefined && !required && type !== "boolean" ? ["may stay empty"] : [];
  const notes = [...wanted, ...otherwise, ...empty];
  return notes.length > 0 ? ` (${notes.join(", ")})` : "";
}

function initialOf(field: Field): string {
  if (field.type === "list") return numbersOf(field);
  const label = field.options?.find(({ value }) => value === field.initial)?.label;
  return label ?? lineOf(String(field.initial)).slice(0, MOST_TITLE);
}

/** The default of a list field, as the numbers of its options. */
function numbersOf({ options = [], initial }: Field): string {
  const chosen = Array.isArray(initial) ? initial : [];
  return chosen.map((each) => options.findIndex(({ value }) => value === each) + 1).join(", ");
}

function readAnswer(field: Field, given: string): Read {
  const { type, options, required, initial, limits } = field;
  if (type === "boolean") return { value: given === "y" };
  if (type === "list") return readList(field, given);
  if (options) {
    const value = options[Number(given) - 1]?.value;
    return value !== undefined ? { value } : required ? { problem: STAYS_EMPTY } : {};
  }
  if (given === "") return initial !== undefined ? { value: initial } : required ? { problem: wanted(field) } : {};
  const value = type === "string" ? given : Number(given);
  return problemOf(type, limits, value) === undefined ? { value } : { problem: wanted(field) };
}

/** Reads several options, given by their numbers or labels. */
function readList(field: Field, given: string): Read {
  const { options = [], required, initial, limits, type } = field;
  if (given === "" && initial !== undefined) return { value: initial };
  if (given === "" && !required) return {};
  const parts = given
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const chosen = parts.map((part) => options[Number(part) - 1] ?? options.find((option) => isCalled(option, part)));
  const values = [...new Set(chosen.map((option) => option?.value))];
  const isKnown = values.every((value) => value !== undefined);
  return isKnown && problemOf(type, limits, values) === undefined ? { value: values } : { problem: wanted(field) };
}

const isCalled = ({ label, value }: Option, name: string) =>
  [label, value].some((each) => each.toLowerCase() === name.toLowerCase());

const STAYS_EMPTY = "it may not stay empty.";

/** Describes a valid answer, after an invalid one. */
function wanted({ type, limits }: Field): string {
  const words = wantedOf(type, limits);
  return words === "" ? STAYS_EMPTY : `${words}, please.`;
}
