import type { CommandResult } from "../contract/results.ts";

/** The only command whose answer reaches the clipboard. */
const COPY = "copy";
/** What is shown of a text that was copied. */
const FIRST_LINE = 60;

/** A command's result as a client obeys it. */
export interface Obeyed extends Omit<CommandResult, "input"> {
  /** A text for the field. It is a command only if it repeats the one that the person ran; anything else never runs from there. */
  input?: { text: string; isCommand: boolean };
}

/** What a client does of a command's result: the name that the person typed decides, since the host may be anybody's. */
export function obeyed(name: string, { copy, input, ...result }: CommandResult): Obeyed {
  return {
    ...result,
    ...(name === COPY && typeof copy === "string" && { copy }),
    ...(typeof input === "string" && { input: { text: input, isCommand: isOf(name, input) } }),
  };
}

/** How many characters were copied, and the beginning of their first line, so that a person sees what they paste next. */
export function copiedPart(text: string): [characters: number, firstLine: string] {
  const [line = ""] = text.trimStart().split(/[\r\n]/, 1);
  return [text.length, line.length > FIRST_LINE ? `${line.slice(0, FIRST_LINE)}…` : line];
}

function isOf(name: string, input: string): boolean {
  return name !== "" && !/[\r\n]/.test(input) && (input === `/${name}` || input.startsWith(`/${name} `));
}
