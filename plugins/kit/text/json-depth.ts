/** Character codes. The code of a closing bracket or brace is that of the opening one plus 2. */
const [QUOTE, BACKSLASH, BRACKET, BRACE] = [34, 92, 91, 123] as const;

/** Whether arrays and objects in a JSON text are nested deeper than `levels`. Scans the text once, without parsing it. */
export function isDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += code === BACKSLASH ? 1 : 0;
    else if (code === BRACKET || code === BRACE) depth++;
    else if (code === BRACKET + 2 || code === BRACE + 2) depth--;
    if (depth > levels) return true;
  }
  return false;
}
