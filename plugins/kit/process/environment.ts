/** Variables that would change the meaning of commands, which guards check before they run. */
const LEFT_OUT = new Set(["CDPATH"]);

/** Converts texts like `PATH=/usr/bin` to variables. Texts that are not variables are left out. */
export function environmentOf(texts: readonly string[]): Record<string, string> {
  const variables = texts.flatMap((text) => {
    const [, name = "", value = ""] = /^([^=\0]+)=([^\0]*)$/s.exec(text) ?? [];
    return name === "" || LEFT_OUT.has(name) ? [] : [[name, value]];
  });
  return Object.fromEntries(variables);
}

/** Converts variables to texts like `PATH=/usr/bin`. */
export function environmentTexts(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}
