/** Replaces line breaks, so that a name cannot add lines to the output. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029\u0085]+/g, " ");
}
