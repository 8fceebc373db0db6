/** Cuts texts between characters. Half of a pair of UTF-16 is no character, and strict parsers of JSON refuse it. Runs in browsers, too. */

const LONE = /\p{Surrogate}/gu;

/** The text with each half of a pair that stands alone replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(LONE, "\ufffd");
}

/** The beginning of a text, at most `most` characters of UTF-16. */
export function beginningOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
}

/** The end of a text, at most `most` characters of UTF-16. */
export function endOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(-most).replace(/^[\udc00-\udfff]/, "");
}
