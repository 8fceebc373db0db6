import { contractWith, type Facts, rowsOf } from "../facts.ts";
import { anchor, code, fence, heading, table } from "../markdown.ts";
import type { Row } from "../source.ts";
import { linksToTypes, ownerOf, type Page, pluginLink, pluginLinks, sourceText, typesFor } from "./page.ts";
import { apiTypes } from "./plugin-api.ts";

export const services: Page = {
  file: "services.md",
  title: "Services",
  about: `A service is an object that one plugin provides and others use at run time. Naming it in \`needs\` starts the provider
first and puts the service on \`ctx\` (\`ctx.agent\`); \`ctx.find("agent")\` looks it up at the moment of use and answers
\`undefined\` where it is missing. A session's plugins also see the services of the host, never the other way round.`,
  blocks: (facts) => {
    const rows = rowsOf(facts, "Services");
    const seen = new Set<string>(apiTypes);
    const places = new Map(apiTypes.map((name) => [name, "plugin-api.md"]));
    return [
      table(
        ["service", "provided by", "scope", "needed by", "used when present by"],
        rows.map((row) => [code(row.name), ...cells(facts, row)]),
      ),
      ...rows.flatMap((row) => {
        const { declarations } = contractWith(facts, row);
        const [declaration, ...rest] = declarationsOf(facts, row, seen);
        const shown = declaration ? [declaration, ...rest] : [];
        const text = declaration ? sourceText(shown) : row.text;
        const more = linksToTypes(shown, row.mentions, declarations, { places, owner: row.owner });
        for (const { name } of shown) places.set(name, `#${anchor(code(row.name))}`);
        return [heading(2, code(row.name)), row.doc, fence("ts", text), more];
      }),
    ];
  },
};

function cells(facts: Facts, { name }: Row): string[] {
  const provider = facts.plugins.find(({ plugin }) => plugin.provides?.includes(name as never));
  const needers = facts.plugins.filter(({ plugin }) => plugin.needs?.includes(name as never));
  const users = facts.plugins.filter(({ looksUp }) => looksUp.includes(name));
  const given = facts.given.get(name);
  if (!provider && !given) throw new Error(`nobody provides the service "${name}"`);
  const scope = provider ? (provider.plugin.scope ?? "session") : given === "presets" ? "host" : "session";
  const by = provider ? pluginLink(provider.id) : `given by ${ownerOf(given as string)}`;
  return [by, scope, pluginLinks(needers), pluginLinks(users)];
}

/** The service's own type first, then the types that it refers to. */
function declarationsOf(facts: Facts, row: Row, seen: Set<string>) {
  const found = typesFor(row.mentions, contractWith(facts, row).declarations, seen, 1);
  return [...found].sort((a, b) => Number(row.mentions.includes(b.name)) - Number(row.mentions.includes(a.name)));
}
