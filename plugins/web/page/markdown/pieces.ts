/** A piece of code with its kind. */
export interface Piece {
  text: string;
  kind?: Kind | undefined;
}

export type Kind = "keyword" | "name" | "number" | "string" | "comment" | "added" | "removed";

/** Highlights code. Undefined for an unknown language. */
export type Colour = (code: string, language: string) => readonly Piece[] | undefined;

/** The kind for each CSS class of highlight.js. */
const KINDS = new Map<string, Kind>(
  Object.entries({
    keyword: "keyword",
    tag: "keyword",
    "selector-tag": "keyword",
    built_in: "name",
    type: "name",
    title: "name",
    name: "name",
    attr: "name",
    attribute: "name",
    section: "name",
    "selector-class": "name",
    literal: "number",
    number: "number",
    symbol: "number",
    string: "string",
    regexp: "string",
    comment: "comment",
    doctag: "comment",
    meta: "comment",
    addition: "added",
    deletion: "removed",
  }),
);
const PARTS = /<span class="hljs-([\w-]+)[^"]*">|<span[^>]*>|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Parses the markup of highlight.js. Anything but its spans and entities is text, so code cannot inject markup. */
export function piecesOf(markup: string): Piece[] {
  const open: (Kind | undefined)[] = [];
  const pieces: { text: string; kind?: Kind | undefined }[] = [];
  for (const [whole, name, entity] of markup.matchAll(PARTS)) {
    if (whole.startsWith("<span")) open.push(KINDS.get(name ?? "") ?? open.at(-1));
    else if (whole === "</span>") open.pop();
    else {
      const kind = open.at(-1);
      const text = entity === undefined ? whole : (ENTITIES[entity] ?? whole);
      const last = pieces.at(-1);
      if (last && last.kind === kind) last.text += text;
      else pieces.push({ text, kind });
    }
  }
  return pieces;
}
