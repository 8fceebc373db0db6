/** `/bump` asks which part of the version in package.json to increase, shows the change, and makes it when confirmed; save it in `~/.scorel/extensions`. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";

const PARTS = ["patch", "minor", "major"] as const;
type Part = (typeof PARTS)[number];

export default definePlugin({
  id: "bump-version",
  name: "Bump version",
  version: "1.0.0",
  needs: ["workspace"],
  commands: ({ ui, workspace }) => ({
    bump: {
      summary: "Raise the version in package.json",
      async run() {
        const path = join(workspace.cwd, "package.json");
        const text = await readFile(path, "utf8");
        const { version = "0.0.0" } = JSON.parse(text) as { version?: string };
        const choices = PARTS.map((part) => ({ value: part, label: `${part}: ${raised(version, part)}` }));
        // Undefined when nobody can answer or the question is cancelled, since there is no default.
        const part = await ui.select("Which part goes up?", choices);
        if (part === undefined) return `Left at ${version}.`;
        const details = [
          { display: "diff" as const, path: "package.json", text: `-${version}\n+${raised(version, part)}` },
        ];
        if (!(await ui.confirm("Write it?", { details }))) return `Left at ${version}.`;
        await writeFile(path, text.replace(`"${version}"`, `"${raised(version, part)}"`));
        return `Now at ${raised(version, part)}.`;
      },
    },
  }),
});

function raised(version: string, part: Part): string {
  const at = 2 - PARTS.indexOf(part);
  const numbers = version.split(".").map(Number);
  return numbers.map((number, index) => (index < at ? number : index === at ? number + 1 : 0)).join(".");
}
