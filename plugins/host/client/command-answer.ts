import type { ImageBlock } from "@scorel/messages/contract";
import type { CommandResult } from "../contract/results.ts";

/** The only command whose result may set the clipboard. */
const COPY = "copy";
/** Maximum number of characters to show of a copied text. */
const FIRST_LINE = 60;

/** The part of a command's result that a client acts on. */
export interface Obeyed extends Omit<CommandResult, "input" | "pictures"> {
  /** Text for the input field. `isCommand`: it repeats the command that the user ran. Any other text must never run as a command. */
  input?: { text: string; isCommand: boolean; pictures: readonly ImageBlock[] };
}

/** Reduces a command's result to what the typed command `name` may do, because the host is not necessarily trusted. */
export function obeyed(name: string, { copy, input, pictures, ...result }: CommandResult): Obeyed {
  return {
    ...result,
    ...(name === COPY && typeof copy === "string" && { copy }),
    ...(typeof input === "string" && {
      input: { text: input, isCommand: isOf(name, input), pictures: picturesIn(pictures) },
    }),
  };
}

/** The number of copied characters, and the beginning of the first line, so that people see what they are going to paste. */
export function copiedPart(text: string): [characters: number, firstLine: string] {
  const [line = ""] = text.trimStart().split(/[\r\n]/, 1);
  return [text.length, line.length > FIRST_LINE ? `${line.slice(0, FIRST_LINE)}…` : line];
}

function picturesIn(value: unknown): ImageBlock[] {
  return Array.isArray(value) ? value.filter(isPicture) : [];
}

function isPicture(value: unknown): value is ImageBlock {
  const { type, data, mimeType } = (value ?? {}) as Partial<ImageBlock>;
  return type === "image" && typeof data === "string" && typeof mimeType === "string";
}

function isOf(name: string, input: string): boolean {
  return name !== "" && !/[\r\n]/.test(input) && (input === `/${name}` || input.startsWith(`/${name} `));
}
