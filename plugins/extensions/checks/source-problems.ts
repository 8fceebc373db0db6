import { join } from "node:path";
import { outsideImports } from "../load/imports.ts";
import { knownWords } from "../words.ts";
import { parse } from "./parse.ts";
import { shapeProblems } from "./shape.ts";

/** The entry file of an extension. */
export interface EntrySource {
  id: string;
  /** The file's path, whose ending tells the language. */
  file: string;
  source: string;
  /** The only folder from which the extension may import files. Absent if it may import any file. */
  root?: string;
}

/** A syntax error with its line, or else the mistakes found in the source. Runs no code. `scorel plugin check` reports the same. */
export async function sourceProblems({ id, file, source, root }: EntrySource): Promise<string[]> {
  const mistake = await parse(file, source);
  if (mistake) return [`it does not parse: ${mistake.reason} (${mistake.where})`];
  const outside =
    root === undefined ? [] : outsideImports({ id, path: file, file: join(root, file), of: "user" }, root);
  return [
    ...outside.map(
      ({ where, wanted }) => `it imports "${wanted}", which is not among the files of its package (${where})`,
    ),
    ...shapeProblems(id, source, knownWords),
  ];
}
