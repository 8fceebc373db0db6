import { copiedPart, type Obeyed } from "@scorel/host/client";
import { safeLine } from "../display/safe.ts";
import { copied } from "../ui/copied.ts";
import type { Words } from "../words/words.ts";
import type { Field } from "./field.ts";
import { messageOf } from "./line.ts";

/** Shows the answer of a command: its text, what to type next, and what it has copied. */
export async function showAnswer(field: Field, { output, input, copy }: Obeyed, words: Words): Promise<void> {
  if (output) field.said.set({ text: output });
  if (input) field.put(input.isCommand ? commandOf(input.text.slice(1)) : messageOf(input.text));
  if (input && !input.isCommand) field.pictures.addAll(input.pictures);
  if (copy === undefined) return;
  // The command is done, whether the browser allows this or not.
  if (!(await copied(copy))) return field.said.set({ text: words.notCopied, isProblem: true });
  const [characters, start] = copiedPart(copy);
  field.said.set({ text: words.copiedPart(characters, safeLine(start)) });
}

/** A command that was proposed is only put into the field. It runs when the person sends it. */
function commandOf(text: string) {
  return { ...messageOf(text), mode: "command" as const };
}
