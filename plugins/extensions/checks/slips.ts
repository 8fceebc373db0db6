import { nearest } from "@scorel/kit/values/nearest";
import type { KnownWords } from "../contract.ts";
import { exportedPlugin } from "./exported.ts";
import { adviceFor, unknownNames } from "./manifest-flaws.ts";
import { type Member, membersAround, returnedMembers, withoutTexts } from "./members.ts";
import { functionSlips, listSlips, otherHooks, scopeSlips, tapSlips, toolSlips } from "./object-slips.ts";

const schemaTypes = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** Probable spelling mistakes in the source of an extension, each with its line. */
export function slipsIn(source: string, known: KnownWords): string[] {
  // Strings and comments are blanked, so that their text is not mistaken for code.
  const { members, isLiteral, isWhole = false } = manifestIn(source);
  if (members.length === 0) return [];
  const returned = returnedMembers(source);
  const named = (name: string) => [...members, ...returned].filter((member) => member.name === name);
  return [
    ...unknownNames(
      members.map(({ name }) => name),
      isLiteral,
    ).map((field) => {
      const line = named(field.name)[0]?.line;
      return `line ${line}: "${field.name}" is not a field of a plugin. ${sentence(adviceFor(field))}`;
    }),
    ...functionSlips(members, known),
    ...listSlips(members),
    ...(isWhole ? scopeSlips(members) : []),
    ...toolSlips(source, known),
    ...named("hooks").flatMap((hooks) => tapSlips(source, hooks, known)),
    ...slips(named("hooks"), /()\b([A-Za-z_$][\w$]*)\s*[:(=]/g, known.hooks, "hook"),
    ...named("hooks").flatMap((hooks) => otherHooks(source, hooks, known.hooks)),
    ...slips(named("needs"), /(["'`])([\w$]+)\1/g, known.services, "service"),
    ...slips(named("tools"), /\btype\s*:\s*(["'`])([\w$]+)\1/g, schemaTypes, "type in JSON Schema"),
  ];
}

/** The members of the exported plugin. If the export is computed, those around an `id`, preferably beside a version. */
function manifestIn(source: string): { members: Member[]; isLiteral: boolean; isWhole?: boolean } {
  const exported = exportedPlugin(source);
  if (exported) return exported;
  const ids = withoutTexts(source).matchAll(/(?:^|[\s{,;])(id)\s*(?::\s*string\s*)?[:=]/g);
  const found = Array.from(ids, ({ 0: all, index }) => membersAround(source, index + all.indexOf("id")));
  const members = found.find((each) => each.some(({ name }) => name === "version")) ?? found[0] ?? [];
  return { members, isLiteral: false };
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith("?") ? "" : "."}`;
}

/** Unknown words in members that resemble a known one. The second group of the pattern is the word. */
function slips(members: readonly Member[], pattern: RegExp, words: readonly string[], what: string): string[] {
  return members.flatMap((member) =>
    [...member.text.matchAll(pattern)].flatMap(({ 0: all, 2: word = "", index }) => {
      const near = words.includes(word) ? undefined : nearest(word, words);
      if (near === undefined) return [];
      const line = member.line + member.text.slice(0, index + all.indexOf(word)).split("\n").length - 1;
      return [`line ${line}: there is no ${what} "${word}". Did you mean "${near}"?`];
    }),
  );
}
