import type { KnownWords } from "../contract.ts";

/** What the text of an extension shows of it. What is computed, or said in a helper, is not seen. */
export interface ExtensionFacts {
  /** Native hooks that it taps. */
  hooks: string[];
  contributes: string[];
  /** It asks to run in the host. */
  host: boolean;
  /** Modules that it imports by name, its own files left out. */
  imports: string[];
}

/** Reads the text of an extension without running it. */
export function extensionFacts(source: string, { hooks, contributions }: KnownWords): ExtensionFacts {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const named = code.matchAll(/\b(?:from|import|require)\s*\(?\s*["'`]([^"'`\n]+)["'`]/g);
  const wanted = [...named].map(([, name = ""]) => name).filter((name) => !name.startsWith("."));
  return {
    hooks: hooks.filter((name) => new RegExp(`\\b${name}\\b`).test(code)),
    contributes: [...contributions, "onEvent", "projections"].filter((name) =>
      new RegExp(`(?:^|[\\s{,;])${name}\\s*(?:\\(|[:=]\\s*(?:async\\b|function\\b|\\(|\\w+\\s*=>))`).test(code),
    ),
    host: /\bscope\b\s*[:=]\s*["'`]host["'`]/.test(code),
    imports: [...new Set(wanted)].sort(),
  };
}
