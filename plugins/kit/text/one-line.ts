/** The text on one line, so that a name with a line break cannot add lines to what is shown. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029\u0085]+/g, " ");
}
