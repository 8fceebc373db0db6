import { MANY } from "./gaps.ts";
import { bareName, takesOrders } from "./hazards.ts";
import { doubtAbout, shellCode } from "./interpreters.ts";
import type { Unit } from "./shell.ts";

/**
 * The program in a command that runs what it reads from standard input, such as `sh` in `curl … | sh`; undefined when
 * there is none. The text that it will run is not part of the command, so no rule can approve it for later.
 */
export function obeyingProgram(command: string, units: readonly Unit[]): string | undefined {
  if (!/[|<]/.test(command)) return undefined;
  for (const { tokens } of units) {
    const words = tokens.flatMap(({ kind, value }) => (kind === "word" ? [value ?? MANY] : []));
    // A program that runs its arguments may run any of them.
    const starts = takesOrders(words[0] ?? "") ? [...words.keys()] : [0];
    for (const at of starts) if (obeysInput(words.slice(at))) return words[at];
  }
  return undefined;
}

function obeysInput([program = "", ...words]: readonly string[]): boolean {
  const name = bareName(program);
  if (takesOrders(name) && words.length === 1 && words[0] === "-") return true;
  if (shellCode(name, [name, ...words])?.reads) return true;
  return /^the input of /.test(doubtAbout(name, [name, ...words], false) ?? "");
}
