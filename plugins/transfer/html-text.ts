const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as text of a page, also inside a quoted attribute. */
export function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

/** Without what a page cannot hold, and with what turns the direction of reading shown by its number. */
export function visible(text: string): string {
  return text
    .replace(/(?![\n\t])\p{Cc}|\p{Surrogate}/gu, "\ufffd")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (turn) => `[U+${turn.charCodeAt(0).toString(16).toUpperCase()}]`);
}
