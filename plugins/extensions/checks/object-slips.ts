import { nearest } from "@scorel/kit/values/nearest";
import type { KnownWords } from "../contract.ts";
import { lineAt, type Member, membersOf, withoutTexts } from "./members.ts";

/** The fields of every tool. An object that has at least three of them is considered a tool. */
const required = ["name", "description", "parameters", "execute"];
/** Longer files, in characters, are not checked: they were not written by hand. */
const MAX_LENGTH = 500_000;

/** Misspelt fields of tools, wherever in the file the tools are written. */
export function toolSlips(source: string, { toolFields }: KnownWords): string[] {
  if (source.length > MAX_LENGTH) return [];
  const code = withoutTexts(source);
  const found: string[] = [];
  for (let open = code.indexOf("{"); open >= 0; open = code.indexOf("{", open + 1)) {
    const members = membersOf(source, code, open);
    const names = members.map(({ name }) => name);
    const meant = new Set(names.map((name) => (required.includes(name) ? name : nearest(name, required))));
    meant.delete(undefined);
    if (meant.size < 3 || names.every((name) => toolFields.includes(name))) continue;
    found.push(...unknownNames(members, toolFields, "tool"));
    // Objects inside of a tool, such as a schema with a property "name", are not tools.
    open = Math.max(open, ...members.map(({ from, text }) => from + text.length - 1));
  }
  return found;
}

/** Mistakes in layers on hooks: empty objects, and misspelt fields. */
export function tapSlips(source: string, hooks: Member, { hooks: known, tapFields }: KnownWords): string[] {
  const code = withoutTexts(source);
  const written = withoutTexts(hooks.text).matchAll(/\b([A-Za-z_$][\w$]*)\s*:\s*\{/g);
  return [...written].flatMap(({ 0: all, 1: hook = "", index }) => {
    if (!known.includes(hook)) return [];
    const open = hooks.from + index + all.length - 1;
    if (/^\{\s*\}/.test(code.slice(open)))
      return [
        `line ${lineAt(source, open)}: the hook "${hook}" is empty. It takes a function, or { handler: a function }.`,
      ];
    return unknownNames(membersOf(source, code, open), tapFields, "hook's layer");
  });
}

/** Members that must be functions, but are written as another value. */
export function functionSlips(members: readonly Member[], { functions }: KnownWords): string[] {
  return members
    .filter(({ name, text }) => functions.includes(name) && /^\s*[:=]\s*(?:[[{"'`\d]|true\b|false\b|null\b)/.test(text))
    .map(
      ({ name, line }) =>
        `line ${line}: "${name}" must be a function, as in: ${name}: (${name === "onEvent" ? "event, ctx" : "ctx"}) => …`,
    );
}

function unknownNames(members: readonly Member[], fields: readonly string[], of: string): string[] {
  const names = members.map(({ name }) => name);
  return members.flatMap(({ name, line }) => {
    const near = fields.includes(name) ? undefined : nearest(name, fields);
    if (near === undefined || names.includes(near)) return [];
    return [`line ${line}: "${name}" is not a field of a ${of}. Did you mean "${near}"?`];
  });
}
