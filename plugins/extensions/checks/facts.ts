import { knownWords } from "../words.ts";
import { exportedId } from "./exported.ts";
import { returnedMembers } from "./members.ts";

/** Facts about an extension, read from its source text without running it. Computed values and imported files are not read. */
export interface ExtensionFacts {
  /** The id of the exported plugin. Absent if it is computed. */
  id?: string;
  /** The hooks that it has layers on. */
  hooks: string[];
  contributes: string[];
  /** The services that it provides. */
  provides: string[];
  /** The names in its `replaces`. */
  replaces: string[];
  /** Its scope is "host". */
  host: boolean;
  /** The modules that it imports, without its own files. */
  imports: string[];
}

/** Reads facts from the source of an extension, without running it. */
export function extensionFacts(source: string): ExtensionFacts {
  const { hooks, contributions } = knownWords;
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const named = code.matchAll(/\b(?:from|import|require)\s*\(?\s*["'`]([^"'`\n]+)["'`]/g);
  const wanted = [...named].map(([, name = ""]) => name).filter((name) => !name.startsWith("."));
  const returned = new Set(returnedMembers(source).map(({ name }) => name));
  const id = exportedId(source);
  return {
    ...(id !== undefined && { id }),
    hooks: hooks.filter((name) => new RegExp(`\\b${name}\\b`).test(code)),
    contributes: [...contributions, "onEvent", "projections"].filter(
      (name) =>
        returned.has(name) ||
        new RegExp(`(?:^|[\\s{,;])${name}\\s*(?:\\(|[:=]\\s*(?:async\\b|function\\b|\\(|\\w+\\s*=>))`).test(code),
    ),
    provides: textsIn(code, "provides"),
    replaces: textsIn(code, "replaces"),
    host: /\bscope\b\s*[:=]\s*["'`]host["'`]/.test(code),
    imports: [...new Set(wanted)].sort(),
  };
}

/** The strings of a list that is written out in the source. */
function textsIn(code: string, name: string): string[] {
  const lists = [...code.matchAll(new RegExp(`\\b${name}\\s*[:=]\\s*\\[([^\\]]*)\\]`, "g"))];
  return lists.flatMap(([, list = ""]) => [...list.matchAll(/["'`]([^"'`\n]+)["'`]/g)].map(([, text = ""]) => text));
}
