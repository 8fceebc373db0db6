import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { table } from "./markdown.ts";
import { read, root } from "./source.ts";

/** An extension in a file of docs/examples. */
export interface ExampleFile {
  id: string;
  source: string;
  /** The first sentence of the file. */
  about: string;
}

export const exampleFolder = "docs/examples";

export function exampleFiles(): ExampleFile[] {
  const names = readdirSync(join(root, exampleFolder)).filter((name) => name.endsWith(".ts"));
  return names.sort().map((name) => {
    const source = read(`${exampleFolder}/${name}`);
    return { id: parse(name).name, source, about: /^\/\*\* (.*) \*\/\n/.exec(source)?.[1] ?? "" };
  });
}

/** The content that docs/examples/README.md should have. */
export function exampleIndex(): string {
  const rows = exampleFiles().map(({ id, about }) => [`[${id}.ts](${id}.ts)`, about]);
  return `<!-- Generated from the code by \`npm run docs\`; do not edit. -->

# Examples

Extensions to use as they are or to start from, one idea each. Copy one into \`~/.scorel/extensions\`, or into
\`.scorel/extensions\` of a project that you trust; nothing else has to be installed. A test runs each with the built command.

${table(["file", "what"], rows)}

[team-preset](team-preset/README.md) is a whole preset for a team: settings that projects cannot take back, two plugins, a guard, a
skill and house rules, to be shared as a tarball, a git repository or an npm package.

[sqlite-logs](sqlite-logs/README.md) takes the place of a plugin of Scorel: a preset with it keeps sessions in SQLite.

[mcp-client](mcp-client/README.md) offers the tools of an MCP server, which come and go while a session runs.

[elsewhere](elsewhere/README.md) lets the tools work on another computer or in a container.

[skills](skills/README.md) are three small presets with a skill each: one with a program, how long skills stay loaded, and how
files are read that a program left.
`;
}
