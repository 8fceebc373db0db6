import { displayText } from "@scorel/kit/text/display";
import { visibleBreaks } from "@scorel/kit/text/one-line";
import { visibleText } from "@scorel/kit/text/plain";
import { cutToWidth, widthOf } from "@scorel/kit/text/width";
import type { OpenRequest, RequestOption } from "@scorel/requests/contract";
import { hanging, marked } from "./indented.ts";

/** A question as displayed, with the prompt for its answer. */
export interface Shown {
  text: string;
  prompt: string;
}
interface Given {
  answer: string;
  reason?: string;
}

const CONFIRM: RequestOption[] = [
  { value: "y", label: "yes" },
  { value: "n", label: "no" },
];

/** Indents the body of a question. Its answers are indented less, so that no line of the body can pass for an answer. */
const BODY = "    ";
/** The rows of an answer after its first one. */
const ANSWER = "      ";
/** The most columns of the default answer in the prompt. The question above shows it in full. */
const ENTER_COLUMNS = 40;

/** Formats a question in full, since nobody can agree to what was cut off. */
export function shownQuestion(request: OpenRequest, columns?: number): Shown {
  const { plugin, title, body = [] } = request;
  const details = body.map(displayText).filter((text) => text !== "");
  // The title of a question of `permissions` says what it is about. For any other, the user should know which plugin asks.
  const head = line(plugin === "permissions" ? title : `${title} (${plugin})`);
  const text = [
    hanging(head, columns),
    ...details.map((detail) => marked(visibleText(detail), BODY, columns)),
    ...answers(request).map(([head, text]) => marked(line(text), ANSWER, columns, head)),
  ].join("\n");
  return { text, prompt: `${hint(request)} ` };
}

/** The rows of a question that say how it can be answered. */
function answers(request: OpenRequest): [head: string, text: string][] {
  const { kind, fallback = "" } = request;
  if (kind === "input") return widthOf(fallback) > ENTER_COLUMNS ? [["  Enter = ", fallback]] : [];
  return offered(request).map(({ value, label, number }) => [
    number === undefined ? `  ${line(value)} = ` : `  ${number} `,
    label,
  ]);
}

function line(text: string): string {
  return visibleBreaks(visibleText(text));
}

/** Summarizes the possible answers, for example `[1-3; Enter: staging]`. */
export function hint(request: OpenRequest): string {
  const { kind, fallback } = request;
  const options = offered(request);
  const first = options[0];
  const among =
    first?.number === undefined ? options.map(({ value }) => line(value)).join(", ") : `1-${options.length}`;
  const enter =
    fallback === undefined || fallback === ""
      ? []
      : [`Enter: ${cutToWidth(line(labelled(request, fallback)), ENTER_COLUMNS)}`];
  return `[${[kind === "input" ? "type the answer" : among, ...enter].join("; ")}]`;
}

/**
 * Parses an answer: a value, a label, a number or an unambiguous beginning of a label. Text after a value is the
 * reason; with letter options, only "no" takes one. An empty line selects the default. Returns undefined for anything
 * else.
 */
export function readAnswer(request: OpenRequest, line: string): Given | undefined {
  const { kind, fallback } = request;
  const said = line.trim();
  if (said === "") return fallback === undefined ? undefined : { answer: fallback };
  if (kind === "input") return { answer: line };
  const options = offered(request);
  const whole = match(options, said);
  if (whole !== undefined) return { answer: whole };
  const [, word = "", reason = ""] = /^(\S+)\s*([\s\S]*)$/.exec(said) ?? [];
  const option = options.find(({ value }) => isSame(value, word));
  if (!option) return undefined;
  // Typing "a test is missing" while a question appears must not count as the answer `a`.
  const isSentence = reason !== "" && option.number === undefined && !isNo(option);
  return isSentence ? undefined : { answer: option.value, reason };
}

interface Offered extends RequestOption {
  /** Absent when the option is selected by typing its value. */
  number?: number;
}

function offered({ kind, options = [] }: OpenRequest): Offered[] {
  if (kind === "input") return [];
  const all = kind === "confirm" ? CONFIRM : options;
  const typed = all.every(({ value }) => value.length === 1);
  return typed ? all : all.map((option, index) => ({ ...option, number: index + 1 }));
}

function isNo({ value, message }: Offered): boolean {
  return value === "n" || message === true;
}

function match(options: readonly Offered[], said: string): string | undefined {
  const same = options.find(({ value, label }) => isSame(value, said) || isSame(label, said));
  if (same) return same.value;
  const numbered = options.find(({ number }) => number !== undefined && String(number) === said);
  if (numbered) return numbered.value;
  // A value of one letter cannot be abbreviated.
  const begun = options.filter(
    ({ number, value, label }) => number !== undefined && [value, label].some((text) => begins(text, said)),
  );
  return begun.length === 1 ? begun[0]?.value : undefined;
}

function isSame(text: string, said: string): boolean {
  return text.trim().toLowerCase() === said.toLowerCase();
}

function begins(text: string, said: string): boolean {
  return text.toLowerCase().startsWith(said.toLowerCase());
}

function labelled(request: OpenRequest, value: string): string {
  return request.kind === "select"
    ? (offered(request).find((option) => option.value === value)?.label ?? value)
    : value;
}
