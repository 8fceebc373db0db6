import type { Facts, PluginFacts } from "../facts.ts";
import { heading, page } from "../markdown.ts";
import type { Declaration } from "../source.ts";

/** A generated page, made of handwritten and generated text. */
export interface Page {
  /** The file name in docs/reference. */
  file: string;
  title: string;
  /** A paragraph about what the page lists and when to read it. */
  about: string;
  blocks(facts: Facts): string[];
}

const mark = "<!-- Generated from the code by `npm run docs`; do not edit. -->";

export function render({ title, about, blocks }: Page, facts: Facts): string {
  return page([mark, heading(1, title), about, ...blocks(facts)]);
}

/** The plugin that declares or owns something, named by its folder. */
export function ownerOf(folder: string): string {
  if (!folder.startsWith("plugins/")) return `[${folder}](../../${folder})`;
  return pluginLink(folder.slice("plugins/".length));
}

export const pluginLink = (id: string) => `[${id}](../../plugins/${id}/README.md)`;

export const pluginLinks = (plugins: readonly PluginFacts[]) => plugins.map(({ id }) => pluginLink(id)).join(", ");

/**
 * The types of a contract that these names refer to, in source order. Calls with the same `seen` return each type once. `depth`
 * limits how far the types of types are followed.
 */
export function typesFor(
  names: readonly string[],
  declarations: readonly Declaration[],
  seen: Set<string> = new Set(),
  depth = Number.POSITIVE_INFINITY,
): Declaration[] {
  const wanted = new Set<string>();
  const want = (name: string, left: number) => {
    const found = declarations.find((declaration) => declaration.name === name);
    if (!found || wanted.has(name) || left === 0) return;
    wanted.add(name);
    for (const each of found.mentions) want(each, left - 1);
  };
  for (const name of names) want(name, depth);
  const fresh = declarations.filter(({ name }) => wanted.has(name) && !seen.has(name));
  for (const { name } of fresh) seen.add(name);
  return fresh;
}

/** Declarations as source text, with docstrings. */
export function sourceText(declarations: readonly Declaration[]): string {
  return declarations.map(({ doc, text }) => (doc === "" ? text : `/** ${doc} */\n${text}`)).join("\n\n");
}

/** A sentence with links to the types that an entry mentions and does not show. `places` has the pages of types that are shown. */
export function linksToTypes(
  shown: readonly Declaration[],
  names: readonly string[],
  declarations: readonly Declaration[],
  { places, owner }: { places: ReadonlyMap<string, string>; owner: string },
): string {
  const here = new Set(shown.map(({ name }) => name));
  const mentioned = new Set([...names, ...shown.flatMap(({ mentions }) => mentions)]);
  const missing = declarations.filter(({ name }) => mentioned.has(name) && !here.has(name));
  if (missing.length === 0) return "";
  const source = owner === "kernel" ? "plugin-api.md" : `../../${owner}/contract.ts`;
  const links = missing.map(({ name }) => `[\`${name}\`](${places.get(name) ?? source})`);
  return `Types: ${links.join(", ")}.`;
}
