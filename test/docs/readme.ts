import type { Facts, PluginFacts } from "./facts.ts";
import { rowsOf } from "./facts.ts";
import { code, links, table } from "./markdown.ts";
import { configTables } from "./pages/config.ts";

/** The headings of every plugin's README, in this order. */
export const headings = ["What", "When", "Use", "Configuration", "Needs and provides", "Example"];

const reference = "../../docs/reference";

/** A plugin's README with its generated parts renewed; throws if it has no place for them. */
export function renderReadme(text: string, facts: Facts, plugin: PluginFacts): string {
  const parts = {
    configuration: configTables(plugin.plugin).join("\n\n") || "Nothing to configure.",
    needs: needsAndProvides(facts, plugin),
  };
  return Object.entries(parts).reduce((whole, [name, part]) => replacePart(whole, name, part, plugin.folder), text);
}

function replacePart(text: string, name: string, part: string, folder: string): string {
  const [open, close] = [`<!-- generated: ${name} -->`, "<!-- /generated -->"];
  const start = text.indexOf(open);
  const end = text.indexOf(close, start);
  if (start < 0 || end < 0) throw new Error(`${folder}/README.md has no part "${open} … ${close}"`);
  return `${text.slice(0, start + open.length)}\n\n${part}\n\n${text.slice(end)}`;
}

function needsAndProvides(facts: Facts, { id, folder, plugin, ...own }: PluginFacts): string {
  const events = Object.entries(plugin.events ?? {});
  const typed = (transient: boolean) => events.filter(([, event]) => Boolean(event.transient) === transient);
  const names = (rows: readonly [string, unknown][]) => rows.map(([name]) => name);
  const opened = rowsOf(facts, "Contributions").filter(({ owner }) => owner === folder);
  const rows: [string, string][] = [
    ["scope", plugin.scope === "host" ? "host: one per process" : "session: one per open session"],
    ["needs services", links([...(plugin.needs ?? [])], `${reference}/services.md`)],
    ["uses services when present", links(own.looksUp, `${reference}/services.md`)],
    ["provides services", links([...(plugin.provides ?? [])], `${reference}/services.md`)],
    [
      "opens contributions",
      links(
        opened.map(({ name }) => name),
        `${reference}/contributions.md`,
      ),
    ],
    ["contributes", links(own.contributes, `${reference}/contributions.md`)],
    [
      "defines hooks",
      links(
        own.defines.map(({ name }) => name),
        `${reference}/hooks.md`,
      ),
    ],
    ["layers on hooks", links(own.taps, `${reference}/hooks.md`)],
    ["persistent events", links(names(typed(false)), `${reference}/events.md`)],
    ["transient events", links(names(typed(true)), `${reference}/events.md`)],
    [
      "projections",
      Object.keys(plugin.projections ?? {})
        .map(code)
        .join(", "),
    ],
    ["errors", own.errors.length > 0 ? `[${own.errors.length} codes](${reference}/errors.md#${id})` : ""],
  ];
  return table(
    [id, ""],
    rows.filter(([, value]) => value !== ""),
  );
}
