/**
 * The simple commands of a shell script as words. Quotes are resolved; assignments, redirections and here-documents are
 * dropped.
 */
export function commandsOf(script: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of script.replaceAll("\\\n", " ").replaceAll(texts, "").matchAll(tokens)) {
    if (/^(&&|\|\||[|;\n])$/.test(token)) commands.push([]);
    else if (!/^(\s|#|\d?[<>])/.test(token)) commands.at(-1)?.push(unquoted(token));
  }
  return commands.map(withoutAssignments).filter((words) => words.length > 0);
}

/** `<<'END'` and the lines up to END. */
const texts = /<<'(\w+)'\n[\s\S]*?\n\1(?=\n|$)/g;

/** Line ends and operators, blanks, comments, redirections, words. */
const tokens =
  /\n|&&|\|\||[|;]|[^\S\n]+|#.*|\d?>{1,2}&?[^\S\n]*[^\s;|&]+|<[^\S\n]*[^\s;|&]+|(?:"[^"]*"|'[^']*'|[^\s"'|;&<>#]|(?<=\S)#)+/g;

function unquoted(word: string): string {
  return word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2");
}

function withoutAssignments(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return first < 0 ? [] : words.slice(first);
}
