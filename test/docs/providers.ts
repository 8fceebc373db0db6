import type { Facts } from "./facts.ts";

/** The path of the generated table: who provides each service, and which native hooks there are. */
export const providerList = "plugins/extensions/providers.ts";

export function providers({ plugins }: Facts): string {
  const rows = plugins.flatMap(({ id, plugin: { provides = [], scope = "session" } }) =>
    provides.map((name) => `  ${name}: { id: "${id}", scope: "${scope}" },\n`),
  );
  const hooks = plugins.flatMap(({ id, defines }) => defines.map(({ name }) => `  ${name}: "${id}",\n`));
  return `// Generated from the plugins by \`npm run docs\`; do not edit.

/** The plugin of Scorel that provides a service, and where it runs. */
export const providers: Readonly<Record<string, { id: string; scope: "host" | "session" }>> = {
${rows.sort().join("")}};

/** The native hooks, and the plugin of Scorel that defines each of them. */
export const hookOwners: Readonly<Record<string, string>> = {
${[...new Set(hooks)].join("")}};

export const hookNames: readonly string[] = Object.keys(hookOwners);
`;
}
