import { type Facts, rowsOf } from "../facts.ts";
import { code, fence, heading, table } from "../markdown.ts";
import { type Page, pluginLink, pluginLinks, sourceText, typesFor } from "./page.ts";

export const hooks: Page = {
  file: "hooks.md",
  title: "Native hooks",
  about: `A native hook is a chain of layers around a moment of the work; its owner calls it, every other plugin may add a layer
with \`hooks\` or \`ctx.hook\`. *waterfall*: each layer gets what the one before returned. *bail*: the first answer other than
\`undefined\` ends the chain. *fold*: each answer is joined into the input. Layers run \`early\`, \`normal\` or \`late\`, ties by
load order. A layer that throws, answers what is no answer, or outlives its limit (30 s unless it sets another) is skipped
and reported, and the chain goes on; a layer marked \`critical\` denies the action instead. An extension's layer is handed a
copy: what it changes in place counts when it succeeds.`,
  blocks: (facts) => {
    const all = facts.plugins.flatMap(({ defines }) => defines);
    const rows = rowsOf(facts, "Hooks");
    const seen = new Set<string>();
    return [
      table(
        ["hook", "mode", "owner", "layers of shipped plugins"],
        rows.map(({ name }) => {
          const hook = all.find((each) => each.name === name);
          if (!hook) throw new Error(`no plugin defines the hook "${name}"`);
          const taps = facts.plugins.filter((plugin) => plugin.taps.includes(name));
          return [code(name), hook.mode, pluginLink(hook.owner), pluginLinks(taps) || "none"];
        }),
      ),
      ...rows.flatMap((row) => [
        heading(2, code(row.name)),
        row.doc,
        fence("ts", [row.text, sourceText(typesOf(facts, row.owner, row.mentions, seen))].filter(Boolean).join("\n\n")),
      ]),
    ];
  },
};

function typesOf(facts: Facts, owner: string, names: readonly string[], seen: Set<string>) {
  const contract = facts.plugins.find(({ folder }) => folder === owner)?.contract;
  return typesFor(names, contract?.declarations ?? [], seen);
}
