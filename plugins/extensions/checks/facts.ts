import { declaresHostScope } from "../load/host-scope.ts";
import { knownWords } from "../words.ts";
import { exportedId } from "./exported.ts";
import { returnedMembers, withoutComments } from "./members.ts";

/** Facts about an extension, read from its source text without running it. Computed values and imported files are not read. */
export interface ExtensionFacts {
  /** The id of the exported plugin. Absent if it is computed. */
  id?: string;
  /** The hooks on which the extension has layers. */
  hooks: string[];
  contributes: string[];
  /** The services that the extension provides. */
  provides: string[];
  /** The names in its `replaces`. */
  replaces: string[];
  /** Whether its scope is "host". */
  host: boolean;
  /** The modules that the extension imports, except for its own files. */
  imports: string[];
  /** Set if the extension has model providers. */
  sends?: Sends;
}

/** Where the model providers of an extension send prompts, and with which keys, as far as the source contains it literally. */
export interface Sends {
  hosts: string[];
  /** The environment variables with their keys. Empty if none is named; the default is then derived from the provider's id. */
  keys: string[];
  /** The line with the first address or key, or else of `providers`. */
  line: number;
}

/** Reads facts from the source of an extension, without running it. */
export function extensionFacts(source: string): ExtensionFacts {
  const { hooks, contributions } = knownWords;
  const code = withoutComments(source);
  const named = code.matchAll(/\b(?:from|import|require)\s*(?:\(\s*)?["'`]([^"'`\n]+)["'`]/g);
  const wanted = [...named].map(([, name = ""]) => name).filter((name) => !name.startsWith("."));
  const returned = new Set(returnedMembers(source).map(({ name }) => name));
  const id = exportedId(source);
  const contributes = [...contributions, "onEvent", "projections"].filter(
    (name) =>
      returned.has(name) ||
      new RegExp(`(?:^|[\\s{,;])${name}\\s*(?:\\(|[:=]\\s*(?:async\\b|function\\b|\\(|\\w+\\s*=>))`).test(code),
  );
  return {
    ...(id !== undefined && { id }),
    hooks: hooks.filter((name) => new RegExp(`\\b${name}\\b`).test(code)),
    contributes,
    provides: textsIn(code, "provides"),
    replaces: textsIn(code, "replaces"),
    host: declaresHostScope(code),
    imports: [...new Set(wanted)].sort(),
    ...(contributes.includes("providers") && { sends: sendsIn(source) }),
  };
}

function sendsIn(source: string): Sends {
  const texts = (name: string) =>
    [...source.matchAll(new RegExp(`\\b${name}\\s*[:=]\\s*["'\`]([^"'\`\\n]+)["'\`]`, "g"))].map(
      ([, text = ""]) => text,
    );
  const written = source.search(/\b(?:baseUrl|apiKeyEnv)\s*[:=]\s*["'`]/);
  const at = written >= 0 ? written : Math.max(0, source.search(/\bproviders\b/));
  return {
    hosts: [...new Set(texts("baseUrl").map(hostOf))],
    keys: [...new Set(texts("apiKeyEnv"))],
    line: source.slice(0, at).split("\n").length,
  };
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

const text = /(?<quote>["'`])((?:\\.|[^\\\n])*?)\k<quote>/;

/** The strings of a list literal in the source, up to the end of the first list inside it. */
function textsIn(code: string, name: string): string[] {
  // Brackets in a string do not end the list. Nothing has to follow it, so that no part is read again for a list without an end.
  const lists = new RegExp(`\\b${name}\\s*[:=]\\s*\\[((?:[^\\]"'\`]+|${text.source}){0,999})`, "g");
  const texts = new RegExp(text, "g");
  return [...code.matchAll(lists)]
    .flatMap(([, list = ""]) => [...list.matchAll(texts)].map(([, , each = ""]) => each))
    .filter((each) => each !== "");
}
