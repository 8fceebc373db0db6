/** The simple commands of a shell script, as words; quotes are resolved, assignments and redirections dropped. */
export function commandsOf(script: string): string[][] {
  return script
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => simpleCommands(line))
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
    .filter((words) => words.length > 0);
}

const tokens = /\s+|#.*$|&&|\|\||[|;]|\d?>{1,2}&?\s*\S+|<\s*\S+|(?:"[^"]*"|'[^']*'|[^\s"'|;&<>#]|(?<=\S)#)+/g;

function simpleCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of line.matchAll(tokens)) {
    if (/^(&&|\|\||[|;])$/.test(token)) commands.push([]);
    else if (!/^(\s|#|\d?[<>])/.test(token)) commands.at(-1)?.push(token.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
  }
  return commands.filter((words) => words.length > 0);
}
