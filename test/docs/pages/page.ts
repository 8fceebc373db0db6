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

/** The types of a contract that these names refer to, in source order. Calls with the same `seen` return each type once. */
export function typesFor(
  names: readonly string[],
  declarations: readonly Declaration[],
  seen: Set<string> = new Set(),
): Declaration[] {
  const wanted = new Set<string>();
  const want = (name: string) => {
    const found = declarations.find((declaration) => declaration.name === name);
    if (!found || wanted.has(name)) return;
    wanted.add(name);
    found.mentions.forEach(want);
  };
  names.forEach(want);
  const fresh = declarations.filter(({ name }) => wanted.has(name) && !seen.has(name));
  for (const { name } of fresh) seen.add(name);
  return fresh;
}

/** Declarations as source text, with docstrings. */
export function sourceText(declarations: readonly Declaration[]): string {
  return declarations.map(({ doc, text }) => (doc === "" ? text : `/** ${doc} */\n${text}`)).join("\n\n");
}
