import { type Block, blocksOf, documents } from "./document.ts";

/** A whole extension that a document shows. */
export interface Example {
  file: string;
  /** The name it has to be saved under. */
  id: string;
  source: string;
  /** The sentence before it. */
  about: string;
}

/** Every extension that a written document shows. */
export function readExamples(): Example[] {
  return documents()
    .filter((file) => !file.startsWith("docs/reference/"))
    .flatMap(blocksOf)
    .filter(({ language, text }) => language === "ts" && text.includes("export default"))
    .map(exampleOf);
}

function exampleOf({ file, text, before }: Block): Example {
  return { file, id: /\bid: "(.+)"/.exec(text)?.[1] ?? "", source: text, about: before };
}
