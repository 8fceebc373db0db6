import { type Block, blocksOf, documents } from "./document.ts";

/** A complete extension in a document. */
export interface Example {
  file: string;
  /** The file name that it must have. */
  id: string;
  source: string;
  /** The sentence before it. */
  about: string;
}

/** Every extension in the handwritten documents. */
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
