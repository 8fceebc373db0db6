const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML, also inside quoted attributes. */
export function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

/** Turns all line breaks into `\n`, replaces characters that HTML cannot hold, and shows bidirectional controls by their code. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/(?![\n\t])\p{Cc}|\p{Surrogate}/gu, "\ufffd")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (turn) => `[U+${turn.charCodeAt(0).toString(16).toUpperCase()}]`);
}
