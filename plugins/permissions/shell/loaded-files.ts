import { isInterpreter } from "./interpreters.ts";
import { isQuiet } from "./programs.ts";
import { isVague } from "./runner-tables.ts";
import { innerOf } from "./runners.ts";

/** Programs that run the contents of the files that they are given, but not their arguments. */
const RUNS_FILES =
  /^(?:g?make|cmake|ninja|pytest|jest|vitest|mocha|npm|pnpm|yarn|bun|go|cargo|gradlew?|mvn|poetry|composer|gem|dotnet|terraform|alias|hash)$/;
/** Programs that only display, pack or send the files that they are given. */
const TAKES_FILES =
  /^(?:(?:g|bsd)?tar|rsync|less|more|most|man|info|find|fd|fdfind|bat|batcat|delta|docker|podman|kubectl|shellcheck|pbcopy|xclip|xsel|wl-copy|mail|mailx|vim?|nvim|nano|emacs|sqlite3|gh)$/;

/** Whether a program is known only to display, store or send what it reads. */
export function readsOnly(name: string, words: readonly string[]): boolean {
  return TAKES_FILES.test(name) || isQuiet(name, words);
}

/** The words that may name a file whose contents the program runs. */
export function loadedBy(name: string, words: readonly string[]): readonly string[] {
  const rest = words.slice(1);
  if (/^g?sed$/.test(name)) return valuesOf(rest, /^-[nrEsuz]*f([\s\S]*)$|^--file=?([\s\S]*)$/);
  if (/awk$/.test(name)) return valuesOf(rest, /^-[fEil]([\s\S]*)$|^--(?:file|exec|include|load)=?([\s\S]*)$/);
  if (name === "git")
    return rest.filter((word, at) => rest[at - 1] === "-c" || /^-c./.test(word) || rest.includes("config"));
  if (isInterpreter(name)) {
    const program = rest.findIndex(
      (word, at) => !word.startsWith("-") && !/^-(?:r|-require|-import|-loader|I|m)$/.test(rest[at - 1] ?? ""),
    );
    return [words[0] as string, ...rest.slice(0, program < 0 ? undefined : program + 1)].map(withoutModule);
  }
  if (RUNS_FILES.test(name)) return words;
  if (readsOnly(name, words)) return [words[0] as string];
  return innerOf(name, words) && !isVague(name) ? [words[0] as string] : words;
}

/** `python3 -m a.b` loads `a`. */
function withoutModule(word: string): string {
  return /^[A-Za-z_]\w*(?:\.\w+)+$/.test(word) && !/\.(?:py|js|mjs|cjs|ts|rb|pl|php|lua|sh)$/.test(word)
    ? (word.split(".")[0] as string)
    : word;
}

function valuesOf(words: readonly string[], option: RegExp): string[] {
  return words.flatMap((word, at) => {
    const found = option.exec(word);
    const value = found?.slice(1).find((it) => it !== undefined);
    if (value === undefined) return [];
    return value === "" ? [words[at + 1] ?? ""] : [value];
  });
}
