/** A tool that lists the scripts of package.json, with a JSON Schema; save it in `~/.scorel/extensions`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";

export default definePlugin({
  id: "package-scripts",
  name: "Package scripts",
  version: "1.0.0",
  needs: ["workspace"],
  tools: ({ workspace }) => [
    {
      name: "PackageScripts",
      description: "Names the scripts of a package.json with their commands.",
      parameters: {
        type: "object",
        properties: { folder: { type: "string", description: "Default: the project's root" } },
        additionalProperties: false,
      },
      access: () => "read",
      async execute(_id, { folder = "." }: { folder?: string }) {
        const file = join(workspace.root, folder, "package.json");
        const { scripts = {} } = JSON.parse(await readFile(file, "utf8")) as { scripts?: Record<string, string> };
        const rows = Object.entries(scripts).map(([name, command]) => `${name}: ${command}`);
        return { content: [{ type: "text", text: rows.join("\n") || "No scripts." }], details: { scripts } };
      },
    },
  ],
});
