/**
 * Prints the sizes and dependencies of the parts of the repository: `npm run figures`. test/architecture.test.ts has the rules.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importCyclesIn, importGroupsIn, importsOf, type Node, nodesOf } from "./architecture.ts";
import { readSourceTree, root } from "./repository.ts";

interface Source {
  path: string;
  text: string;
  lines: number;
}

/** The TypeScript and JavaScript files below a folder. Packages link to each other, so node_modules is not entered. */
function sourcesIn(folder: string): Source[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && entry.name !== "node_modules") return sourcesIn(path);
    if (!entry.isFile() || !/\.(ts|mjs|js)$/.test(entry.name)) return [];
    const text = readFileSync(join(root, path), "utf8");
    return [{ path, text, lines: text.split("\n").length - 1 }];
  });
}

function linesOf(sources: readonly Source[]): number {
  return sources.reduce((sum, { lines }) => sum + lines, 0);
}

function longest(sources: readonly Source[]): string {
  const [first] = [...sources].sort((a, b) => b.lines - a.lines);
  return first ? `${first.path}, ${first.lines} lines` : "none";
}

/** The names that a module exports, including those of `export *`. */
function namesFrom(file: string, folder: string): string[] {
  const nodes = [...nodesOf(readFileSync(join(root, folder, file), "utf8"))];
  return nodes.flatMap((node) => {
    if (node.type === "ExportAllDeclaration")
      return namesFrom(String((node.source as Node).value).replace("./", ""), folder);
    if (node.type !== "ExportNamedDeclaration") return [];
    const listed = (node.specifiers as Node[]).map(({ exported }) => String((exported as Node).name));
    return [...listed, ...declared(node.declaration as Node | null)];
  });
}

function declared(node: Node | null): string[] {
  if (!node) return [];
  const several = (node.declarations as Node[] | undefined)?.map(({ id }) => id as Node) ?? [node.id as Node];
  return several.map(({ name }) => String(name));
}

/** Imports of one plugin's code by another plugin; shared code belongs in the kit. */
function importsAcrossPlugins(plugins: readonly Source[]): string[] {
  return plugins.flatMap(({ path, text }) => {
    const own = `@scorel/${path.split("/")[1]}`;
    return importsOf(text)
      .filter(({ from, when }) => from.startsWith("@scorel/") && when !== "types")
      .filter(({ from }) => !/^@scorel\/(kernel|kit)(\/|$)/.test(from) && from !== own)
      .map(({ from }) => `${path} -> ${from}`);
  });
}

const kernel = sourcesIn("kernel");
const presets = sourcesIn("presets");
const plugins = sourcesIn("plugins");
const across = importsAcrossPlugins(plugins);
const rows: [string, string][] = [
  ["kernel", `${linesOf(kernel)} lines in ${kernel.length} files; the longest is ${longest(kernel)}`],
  ["names that the kernel exports", String(new Set(namesFrom("index.ts", "kernel")).size)],
  ["presets", `${linesOf(presets)} lines in ${presets.length} files; the longest is ${longest(presets)}`],
  ["plugins", `${linesOf(plugins)} lines in ${plugins.length} files; the longest is ${longest(plugins)}`],
  ["import cycles", String(importCyclesIn(readSourceTree()).length)],
  [
    "plugins that import each other's types in a cycle",
    importGroupsIn(readSourceTree())
      .map((group) => `\n  ${group.length}: ${group.join(" ")}`)
      .join("") || "none",
  ],
  ["value imports across plugins", `${across.length}${across.map((each) => `\n  ${each}`).join("")}`],
];
for (const [name, value] of rows) console.log(`${name}: ${value}`);
