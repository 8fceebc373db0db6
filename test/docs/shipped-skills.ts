import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFrontMatter } from "../../plugins/kit/markdown/front-matter.ts";
import { root } from "./source.ts";

/** The formatter's limit for a line. */
const WIDTH = 120;

/** The path and content of the generated list of what each shipped skill says of itself. */
export const shippedList = "plugins/skills/library/shipped.ts";
export async function shippedSkills(): Promise<string> {
  const rows = await Promise.all(readdirSync(join(root, "skills")).sort().map(rowOf));
  return `// Generated from skills/*/SKILL.md by \`npm run docs\`, so that no start has to read them.

/** What each shipped skill says of itself; \`digest\` is the sha256 of its SKILL.md. */
export const shipped: readonly { name: string; description: string; digest: string }[] = [
${rows.join("\n")}
];
`;
}

async function rowOf(folder: string): Promise<string> {
  const bytes = readFileSync(join(root, "skills", folder, "SKILL.md"));
  const parsed = await parseFrontMatter(bytes.toString("utf8"));
  if ("reason" in parsed) throw new Error(`skills/${folder}/SKILL.md: ${parsed.reason}`);
  const said = (key: string) => JSON.stringify(parsed.fields.get(key)?.value);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const description = `    description: ${said("description")},`;
  const lines = description.length > WIDTH ? description.replace(": ", ":\n      ") : description;
  return `  {\n    name: ${said("name")},\n${lines}\n    digest: "${digest}",\n  },`;
}
