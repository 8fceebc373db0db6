import { knownWords } from "../words.ts";
import { parse } from "./parse.ts";
import { shapeProblems } from "./shape.ts";

/** The entry file of an extension. */
export interface EntrySource {
  id: string;
  /** The file's path, whose ending tells the language. */
  file: string;
  source: string;
}

/** A syntax error with its line, or else the mistakes that the source shows. Runs nothing. `scorel plugin check` finds the same. */
export async function sourceProblems({ id, file, source }: EntrySource): Promise<string[]> {
  const mistake = await parse(file, source);
  return mistake ? [`it does not parse: ${mistake.reason} (${mistake.where})`] : shapeProblems(id, source, knownWords);
}
