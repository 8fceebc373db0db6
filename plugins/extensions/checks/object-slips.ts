import { nearest } from "@scorel/kit/values/nearest";
import type { KnownWords } from "../contract.ts";
import { isHostOnly } from "./contribution-flaws.ts";
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

/** Members that must be lists, but are written as another value. */
export function listSlips(members: readonly Member[]): string[] {
  return members
    .filter(({ name, text }) => ["needs", "provides", "replaces"].includes(name) && /^\s*[:=]\s*["'`{\d]/.test(text))
    .map(({ name, line }) => `line ${line}: "${name}" must be a list of strings, as in: ${name}: ["agent"]`);
}

/** Contributions for which only host plugins are asked, in a plugin that is written out and has another scope. */
export function scopeSlips(members: readonly Member[]): string[] {
  const scope = members.find(({ name }) => name === "scope");
  if (scope && !/^\s*:\s*["'`]session["'`]/.test(scope.text)) return [];
  return members
    .filter(({ name }) => isHostOnly(name))
    .map(({ name, line }) => `line ${line}: only plugins with scope: "host" are asked for "${name}".`);
}

/** Unknown hooks that share only a part of their name with a known one, such as beforeTool. Others may be hooks of extensions. */
export function otherHooks(source: string, hooks: Member, known: readonly string[]): string[] {
  const returned = /(?:=>\s*\(?|\breturn)\s*\{/.exec(withoutTexts(hooks.text));
  if (!returned) return [];
  const open = hooks.from + returned.index + returned[0].length - 1;
  return membersOf(source, withoutTexts(source), open).flatMap(({ name, line }) => {
    if (known.includes(name) || nearest(name, known) !== undefined) return [];
    const near = nearest(name, known, { partly: true });
    return near === undefined ? [] : [`line ${line}: there is no hook "${name}". Did you mean "${near}"?`];
  });
}

function unknownNames(members: readonly Member[], fields: readonly string[], of: string): string[] {
  const names = members.map(({ name }) => name);
  return members.flatMap(({ name, line }) => {
    const near = fields.includes(name) ? undefined : nearest(name, fields);
    if (near === undefined || names.includes(near)) return [];
    return [`line ${line}: "${name}" is not a field of a ${of}. Did you mean "${near}"?`];
  });
}
