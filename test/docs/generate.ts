import { existsSync } from "node:fs";
import { join } from "node:path";
import { exampleFolder, exampleIndex } from "./example-files.ts";
import { readFacts } from "./facts.ts";
import { pages } from "./pages/index.ts";
import { render } from "./pages/page.ts";
import { drawDisplays } from "./pages/plugin-api.ts";
import { providerList, providers } from "./providers.ts";
import { renderReadme } from "./readme.ts";
import { serviceShapes, shapeList } from "./service-shapes.ts";
import { optionList, sessionOptions } from "./session-options.ts";
import { shippedList, shippedSkills } from "./shipped-skills.ts";
import { read, root } from "./source.ts";

/** The content that every generated file should have, by path from the root. */
export async function generate(): Promise<Map<string, string>> {
  const facts = await readFacts();
  await drawDisplays();
  const reference = pages.map((page) => [`docs/reference/${page.file}`, render(page, facts)] as const);
  const readmes = facts.plugins
    .filter(({ folder }) => existsSync(join(root, folder, "README.md")))
    .map(
      (plugin) =>
        [`${plugin.folder}/README.md`, renderReadme(read(`${plugin.folder}/README.md`), facts, plugin)] as const,
    );
  return new Map([
    ...reference,
    ...readmes,
    [`${exampleFolder}/README.md`, exampleIndex()],
    [shippedList, await shippedSkills()],
    [shapeList, serviceShapes(facts)],
    [optionList, sessionOptions(facts)],
    [providerList, providers(facts)],
  ]);
}
