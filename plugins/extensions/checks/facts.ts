import { knownWords } from "../words.ts";
import { returnedMembers } from "./members.ts";

/** Facts about an extension, read from its source text without running it. Computed values and imported files are not read. */
export interface ExtensionFacts {
  /** The hooks that it has layers on. */
  hooks: string[];
  contributes: string[];
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
  return {
    hooks: hooks.filter((name) => new RegExp(`\\b${name}\\b`).test(code)),
    contributes: [...contributions, "onEvent", "projections"].filter(
      (name) =>
        returned.has(name) ||
        new RegExp(`(?:^|[\\s{,;])${name}\\s*(?:\\(|[:=]\\s*(?:async\\b|function\\b|\\(|\\w+\\s*=>))`).test(code),
    ),
    host: /\bscope\b\s*[:=]\s*["'`]host["'`]/.test(code),
    imports: [...new Set(wanted)].sort(),
  };
}
