import { join } from "node:path";
import { kindOf, namesIn } from "./file-cache.ts";

const MAX_MATCHES = 2_000;

/**
 * Limits of glob expansion. `left` is the number of names that may still be compared; with `hidden`, `*` and `?` match
 * hidden names.
 */
export interface Expansion {
  left: number;
  hidden?: boolean;
}

/**
 * Whether a script may make wildcards match hidden names (dotglob in bash, globdots in zsh, GLOBIGNORE), including through an
 * option name in a variable.
 */
export function showsHidden(script: string): boolean {
  const bare = script.replace(/['"\\]/g, "");
  return (
    /dotglob|glob_*dots|dot_*glob|GLOBIGNORE/i.test(bare) ||
    /\b(?:shopt|setopt|emulate|set\s[^;&|\n]*-\w*o|(?:ba|z|k)sh\s[^;&|\n]*[-+]\w*[oO])\b[^;&|\n]*[$`]/.test(bare)
  );
}

/** The existing paths that an absolute glob matches, and the folders that are searched for them. */
export interface Expanded {
  /** The existing paths that match. */
  paths: string[];
  /**
   * The folders in which the shell looks for matches, whether there are any or not; the fixed start of the glob comes
   * first.
   */
  folders: string[];
}

/** Expands an absolute glob as the shell does; undefined when it matches too many paths. */
export function expandGlob(glob: string, budget: Expansion): Expanded | undefined {
  let paths = ["/"];
  const folders: string[] = [];
  for (const part of glob.split("/").filter(Boolean)) {
    if (folders.length > 0) folders.push(...paths.filter((path) => kindOf(path) === "folder"));
    else if (isWild(part)) folders.push(...paths);
    if (!isWild(part)) paths = paths.map((folder) => join(folder, part));
    else {
      const isMatch = matching(part, budget.hidden === true);
      const found: string[] = [];
      for (const folder of paths) {
        const names = namesIn(folder);
        budget.left -= names.length;
        if (budget.left < 0) return undefined;
        for (const name of names) if (isMatch(name)) found.push(join(folder, name));
        if (found.length > MAX_MATCHES) return undefined;
      }
      paths = found;
    }
  }
  return { paths: paths.filter((path) => kindOf(path) !== undefined), folders };
}

function isWild(part: string): boolean {
  return /[*?[{(]/.test(part);
}

/** Whether a word contains a wildcard or a brace that the shell expands because it is not quoted. Braces need a list or a range. */
export function hasOpenGlob(text: string): boolean {
  return /[*?[{]/.test(withoutPlainBraces(text.replace(/\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g, "")));
}

/** Removes braces without a list or a range, as in `HEAD@{1}`, which the shell does not expand. */
export function withoutPlainBraces(text: string): string {
  return text.replace(/\{(?:[^{},.]|\.(?!\.))*\}/g, "");
}

/** The start of an absolute glob that holds no wildcard. */
export function fixedPart(glob: string): string {
  const parts = glob.split("/");
  const wild = parts.findIndex(isWild);
  return (wild < 0 ? parts : parts.slice(0, wild)).join("/") || "/";
}

function matching(part: string, hidden: boolean): (name: string) => boolean {
  if (/[[{(]/.test(part)) return () => true;
  const glob = part.toLowerCase();
  return (name) => fitsGlob(glob, name.toLowerCase()) && (hidden || part.startsWith(".") || !name.startsWith("."));
}

/** Matches a name against `*` and `?` in one pass: after a mismatch, only the last star is extended. */
function fitsGlob(glob: string, name: string): boolean {
  let [at, step, star, from] = [0, 0, -1, 0];
  while (at < name.length) {
    if (glob[step] === "*") [star, from] = [step++, at];
    else if (glob[step] === "?" || glob[step] === name[at]) {
      step++;
      at++;
    } else if (star >= 0) [step, at] = [star + 1, ++from];
    else return false;
  }
  while (glob[step] === "*") step++;
  return step === glob.length;
}
