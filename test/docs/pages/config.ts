import type { AnyPlugin } from "@scorel/kernel";
import { createConfigSchema, toJsonSchema } from "../../../presets/layers/schema.ts";
import { code, heading, table } from "../markdown.ts";
import { type OptionTable, optionTablesOf, type Schema } from "../option-rows.ts";
import { type Page, pluginLink } from "./page.ts";

export const config: Page = {
  file: "config.md",
  title: "Configuration",
  about: `A preset and \`config.toml\` have the same grammar: which plugins to load, and one table per plugin, checked by that
plugin's own schema. Layers, later wins: the preset with all it extends, \`~/.scorel/config.toml\`, the project's
\`.scorel/config.toml\` (once you trust the project: \`scorel trust add\`). \`use\` and \`without\` accumulate over layers; tables merge key by key; every
other value is replaced. An unknown key is refused with file and line. \`scorel config show --explain\` says which layer set
what, \`scorel config schema\` prints all of this as JSON Schema. Environment variables carry only secrets: the one that
\`apiKeyEnv\` names.`,
  blocks: (facts) => {
    const configured = facts.plugins.filter(({ plugin }) => plugin.config);
    const grammar = toJsonSchema(createConfigSchema([])) as Schema;
    return [
      heading(2, "Grammar"),
      ...tables([{ options: optionTablesOf(grammar)[0]?.options ?? [] }]),
      ...configured.flatMap(({ id, plugin }) => [
        heading(2, code(`[${id}]`)),
        `The table of plugin ${pluginLink(id)}.`,
        ...configTables(plugin),
      ]),
    ];
  },
};

/** Tables of the options of one plugin; empty when it has none. */
export function configTables(plugin: AnyPlugin): string[] {
  if (!plugin.config) return [];
  const schema = (toJsonSchema(createConfigSchema([plugin])) as Schema).properties?.[plugin.id];
  return schema ? tables(optionTablesOf(schema)) : [];
}

function tables(all: readonly OptionTable[]): string[] {
  return all.flatMap(({ when, options }) => [
    ...(when ? [`With ${code(when)}:`] : []),
    table(
      ["key", "type", "default", "what"],
      options.map(({ key, type, default: byDefault, what }) => [code(key), type, byDefault, what]),
    ),
  ]);
}
