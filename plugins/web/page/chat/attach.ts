import type { Words } from "../words/words.ts";
import type { Field } from "./field.ts";
import { messageOf } from "./line.ts";
import { takeFile } from "./pictures.ts";

/** Makes files a part of the message: pictures stand beside its text, the text of others in it. What cannot be is said, with the reason. */
export async function attach(field: Field, files: readonly File[], words: Words): Promise<void> {
  // The text of a file must not become part of a line that runs.
  if (field.get().mode !== "message") return field.said.set({ text: words.filesInMessages, isProblem: true });
  const problems: string[] = [];
  for (const file of files) {
    const problem = await attachOne(field, file, words);
    if (problem !== undefined) problems.push(`${file.name}: ${problem}`);
  }
  if (problems.length > 0) field.said.set({ text: problems.join("\n"), isProblem: true });
}

/** Returns why a file is not attached. */
async function attachOne(field: Field, file: File, words: Words): Promise<string | undefined> {
  try {
    const taken = await takeFile(file);
    if (taken.is === "refused") return words.refused[taken.reason];
    if (taken.is === "picture") return field.pictures.add(taken.picture) ? undefined : words.refused.large;
    append(field, taken.text);
    return undefined;
  } catch (thrown) {
    // A folder, or a file that is gone.
    return (thrown as Error).message;
  }
}

/** Puts text behind what is written. A command or shell line that was begun meanwhile stays as it is. */
function append(field: Field, added: string): void {
  const { mode, text } = field.get();
  if (mode !== "message") return;
  const whole = text.trim() === "" ? added : `${text.trimEnd()}\n\n${added}`;
  field.set({ ...messageOf(whole), caret: whole.length });
}

/** The files of something that was pasted or dropped. What has text, too, such as cells of a table, is text. */
export function filesOf(transfer: DataTransfer): File[] {
  if (transfer.getData("text/plain") !== "") return [];
  return [...transfer.files];
}
