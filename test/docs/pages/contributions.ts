import { isHostOnly } from "../../../plugins/extensions/checks/contribution-flaws.ts";
import { contractWith, type Facts, rowsOf } from "../facts.ts";
import { anchor, code, fence, heading, table } from "../markdown.ts";
import { linksToTypes, ownerOf, type Page, pluginLinks, sourceText, typesFor } from "./page.ts";
import { apiTypes } from "./plugin-api.ts";

export const contributions: Page = {
  file: "contributions.md",
  title: "Contributions and projections",
  about: `A contribution is what a plugin offers under a name that another plugin opened: a method of the plugin
(\`tools(ctx) { return [...] }\`), asked by whoever collects it. A failing one is reported with its plugin and left out.
\`activate(ctx)\` may return contributions, too: an object such as \`{ tools, commands, hooks, onEvent, dispose }\`, each a value or a
function, which see its variables. A name that the plugin itself has as well is collected twice, the plugin's own first.
Of two tools, commands or providers with one name, the one that was collected first is used, and the plugin of the other one is told.
\`replaces: ["Weather"]\` in a plugin makes its own be used, whichever loads first; of two plugins that say so, the one that loads later.
\`ctx.contribute(name, value)\` adds a contribution at any later time and returns a function that removes it; who collects hears of it
with \`ctx.onContributed(name, changed)\`.
*scope* says which plugins are asked: only those with \`scope: "host"\`, or either kind. What a host plugin contributes holds in all sessions,
but its \`hooks\` are only those of other host plugins: a hook of the session, such as \`approveToolCall\`, needs a plugin without \`scope: "host"\`.
A projection is state that a plugin folds from the log; anybody reads it with \`ctx.session.projection(name)\`.`,
  blocks: (facts) => {
    const rows = rowsOf(facts, "Contributions");
    const seen = new Set<string>(apiTypes);
    const places = new Map(apiTypes.map((name) => [name, "plugin-api.md"]));
    return [
      heading(2, "Contributions"),
      table(
        ["name", "scope", "opened by", "collected by", "contributed by shipped plugins"],
        rows.map(({ name, owner }) => [
          code(name),
          isHostOnly(name) ? code('scope: "host"') : "either",
          ownerOf(owner),
          pluginLinks(facts.plugins.filter(({ collects }) => collects.includes(name))),
          pluginLinks(facts.plugins.filter(({ contributes }) => contributes.includes(name))) || "none",
        ]),
      ),
      ...rows.flatMap((row) => {
        const { declarations } = contractWith(facts, row);
        const shown = typesFor(row.mentions, declarations, seen, 2);
        const types = sourceText(shown);
        const more = linksToTypes(shown, row.mentions, declarations, { places, owner: row.owner });
        for (const { name } of shown) places.set(name, `#${anchor(code(row.name))}`);
        return [heading(3, code(row.name)), row.doc, fence("ts", [row.text, types].filter(Boolean).join("\n\n")), more];
      }),
      heading(2, "Projections"),
      projectionTable(facts),
    ];
  },
};

function projectionTable(facts: Facts): string {
  return table(
    ["name", "owner", "over", "state", "what"],
    rowsOf(facts, "Projections").map(({ name, owner, text, doc }) => {
      const definition = facts.plugins.find(({ folder }) => folder === owner)?.plugin.projections?.[name];
      if (!definition) throw new Error(`${owner} declares the projection "${name}" and does not define it`);
      return [code(name), ownerOf(owner), definition.over, code(text.slice(text.indexOf(":") + 1).trim()), doc];
    }),
  );
}
