/** Splits the text of a slash command, without the slash, into the command's name and the argument that is being typed. */
export function typedArgument(before: string): { name: string; typed: string } {
  const [, name = "", typed = ""] = /^(\S+)\s+([\s\S]*)$/.exec(before) ?? [];
  return { name, typed };
}

/** The choices whose value begins with the typed text, or whose label contains it in upper or lower case. */
export function choicesLike<C extends { value: string; label?: string }>(choices: readonly C[], typed: string): C[] {
  const sought = typed.toLowerCase();
  return choices.filter(({ value, label = "" }) => value.startsWith(typed) || label.toLowerCase().includes(sought));
}
