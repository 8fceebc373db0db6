import type { Words } from "../words/words.ts";
import type { Field } from "./field.ts";
import { takeFile } from "./pictures.ts";

/** Adds files to the message: pictures beside its text, text files inside of it. Shows the reason for files that cannot be added. */
export async function attach(field: Field, files: readonly File[], words: Words): Promise<void> {
  // The text of a file must not become part of a line that is run.
  if (field.get().mode !== "message") return field.said.set({ text: words.filesInMessages, isProblem: true });
  await field.add(async () => {
    const problems: string[] = [];
    for (const file of files) {
      const problem = await attachOne(field, file, words);
      if (problem !== undefined) problems.push(`${file.name}: ${problem}`);
    }
    if (problems.length === 0) return;
    field.said.set({ text: problems.join("\n"), isProblem: true });
    field.submitting.withhold("refused");
  });
}

/** Returns the reason if a file is not attached. */
async function attachOne(field: Field, file: File, words: Words): Promise<string | undefined> {
  try {
    const taken = await takeFile(file);
    if (taken.is === "refused") return words.refused[taken.reason];
    if (taken.is === "picture") return field.pictures.add(taken.picture) ? undefined : words.refused.large;
    // By now, the field may have a command or shell line, which stays as it is.
    if (field.get().mode === "message") field.append(taken.text);
    return undefined;
  } catch (thrown) {
    // It is a folder, or no longer there.
    return (thrown as Error).message;
  }
}

/** The files that were pasted or dropped. None if there is also text, as with cells of a spreadsheet. */
export function filesOf(transfer: DataTransfer): File[] {
  if (transfer.getData("text/plain") !== "") return [];
  return [...transfer.files];
}
