/** Puts a text into a code block of Markdown, with a fence that is longer than any in the text. `info` follows the opening fence. */
export function fenced(text: string, info = ""): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${info}\n${text}\n${fence}`;
}
