/** Whether the last part of a command's name is `word`, as in `skill:deploy` for `deploy`. */
export function endsInPart(name: string, word: string): boolean {
  return name.endsWith(`:${word}`);
}

/** The names with `word` as a part, such as `skill:deploy` and `code-review`. Those whose last part it is come first. */
export function namesakes(word: string, names: readonly string[]): string[] {
  const others = names.filter((name) => !endsInPart(name, word) && name.split(/[:_-]/).includes(word));
  return [...names.filter((name) => endsInPart(name, word)), ...others];
}

/** The question whether a command was meant by an unknown name of which it has a part; "" if there is no such command. */
export function namesakeHint(word: string, names: readonly string[]): string {
  const found = namesakes(word, names).slice(0, 3);
  return found.length === 0 ? "" : ` Did you mean ${found.map((name) => `/${name}`).join(" or ")}?`;
}
