import { readExamples } from "../examples.ts";
import { code, table } from "../markdown.ts";
import type { Page } from "./page.ts";

export const examples: Page = {
  file: "examples.md",
  title: "Examples",
  about: `Every extension that the documentation shows, one idea each. Save it under its name in \`~/.scorel/extensions\`. A test
takes each out of its page, loads it with the built command and runs a turn.`,
  blocks: () => [
    table(
      ["save as", "what", "where"],
      readExamples().map(({ id, about, file }) => [code(`${id}.ts`), about, `[${file}](../../${file})`]),
    ),
  ],
};
