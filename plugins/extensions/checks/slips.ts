import { nearest } from "@scorel/kit/values/nearest";
import type { KnownWords } from "../contract.ts";
import { exportedPlugin } from "./exported.ts";
import { type Member, membersAround, returnedMembers, withoutTexts } from "./members.ts";
import { functionSlips, tapSlips, toolSlips } from "./object-slips.ts";

const schemaTypes = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** Probable spelling mistakes in the source of an extension, each with its line. */
export function slipsIn(source: string, known: KnownWords): string[] {
  // Strings and comments are blanked, so that their text is not mistaken for code.
  const members = manifestIn(source);
  if (members.length === 0) return [];
  const returned = returnedMembers(source);
  const named = (name: string) => [...members, ...returned].filter((member) => member.name === name);
  return [
    ...fieldSlips(
      members.map(({ name }) => name),
      known.fields,
    ).map(({ name, near }) => {
      const line = named(name)[0]?.line;
      return `line ${line}: "${name}" is no field of a plugin. Did you mean "${near}"?`;
    }),
    ...functionSlips(members, known),
    ...toolSlips(source, known),
    ...named("hooks").flatMap((hooks) => tapSlips(source, hooks, known)),
    ...slips(named("hooks"), /()\b([A-Za-z_$][\w$]*)\s*[:(=]/g, known.hooks, "hook"),
    ...slips(named("needs"), /(["'`])([\w$]+)\1/g, known.services, "service"),
    ...slips(named("tools"), /\btype\s*:\s*(["'`])([\w$]+)\1/g, schemaTypes, "type in JSON Schema"),
  ];
}

/** The members of the exported plugin. If the export is computed, those around an `id`, preferably beside a version. */
function manifestIn(source: string): Member[] {
  const exported = exportedPlugin(source)?.members;
  if (exported) return exported;
  const ids = withoutTexts(source).matchAll(/(?:^|[\s{,;])(id)\s*(?::\s*string\s*)?[:=]/g);
  const found = Array.from(ids, ({ 0: all, index }) => membersAround(source, index + all.indexOf("id")));
  return found.find((members) => members.some(({ name }) => name === "version")) ?? found[0] ?? [];
}

/** Unknown fields that resemble a known field which is missing. */
export function fieldSlips(names: readonly string[], fields: readonly string[]): { name: string; near: string }[] {
  return names.flatMap((name) => {
    const near = fields.includes(name) ? undefined : nearest(name, fields);
    return near === undefined || names.includes(near) ? [] : [{ name, near }];
  });
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
