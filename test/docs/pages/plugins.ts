import type { PluginFacts } from "../facts.ts";
import { heading, table } from "../markdown.ts";
import { read } from "../source.ts";
import { type Page, pluginLink } from "./page.ts";

export const plugins: Page = {
  file: "plugins.md",
  title: "Plugins",
  about: `Every feature of Scorel is a plugin in a folder of its own, whose README says what it does, how to use it and how to
configure it. A preset names the plugins that run: see [presets](presets.md).`,
  blocks: (facts) => [
    heading(2, "In every session"),
    "Each open session has its own instances of these.",
    rows(facts.plugins.filter(({ plugin }) => plugin.scope !== "host")),
    heading(2, "In the host"),
    "The process that owns the sessions has one instance of these: the command line, the faces and what sessions share.",
    rows(facts.plugins.filter(({ plugin }) => plugin.scope === "host")),
  ],
};

function rows(all: readonly PluginFacts[]): string {
  const sorted = [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
  return table(
    ["plugin", "what"],
    sorted.map(({ id, folder }) => [pluginLink(id), firstSentence(read(`${folder}/README.md`))]),
  );
}

/** The first sentence under "What", without links, since those would be wrong in another folder. */
function firstSentence(readme: string): string {
  const [, paragraph = ""] = /^## What\n\n([\s\S]*?)(?:\n\n|\n- )/m.exec(readme) ?? [];
  const text = paragraph.replaceAll("\n", " ").replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return /^.*?\.(?= [A-Z`]|$)/.exec(text)?.[0] ?? text.replace(/:$/, ".");
}
