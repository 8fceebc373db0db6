/** Reads `glossary.json` of a project and provides its terms to other extensions, such as glossary-tool.ts, as the service `glossary`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";

declare module "@scorel/kernel" {
  interface Services {
    glossary: { meaning(term: string): string | undefined; terms(): string[] };
  }
}

export default definePlugin({
  id: "glossary",
  name: "Glossary",
  version: "1.0.0",
  needs: ["workspace"],
  provides: ["glossary"],
  async activate(ctx) {
    const text = await readFile(join(ctx.workspace.root, "glossary.json"), "utf8").catch(() => "{}");
    const entries = Object.entries(JSON.parse(text) as Record<string, string>);
    const meanings = new Map(entries.map(([term, meaning]) => [term.toLowerCase(), meaning]));
    ctx.provide("glossary", {
      meaning: (term) => meanings.get(term.toLowerCase()),
      terms: () => entries.map(([term]) => term),
    });
  },
});
