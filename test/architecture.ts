import { posix } from "node:path";
import { parseAst } from "vitest/node";

/** The parts of a package.json that the rules read. */
export interface Manifest {
  name: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** A tree of packages in memory: sources by path, manifests by folder ("" is the root). */
export interface SourceTree {
  sources: Record<string, string>;
  manifests: Record<string, Manifest>;
}

/** A module that a file imports, and when: only for types, when the file is loaded, or later. */
export interface Import {
  from: string;
  when: "types" | "load" | "later";
}

export interface Node {
  type: string;
  [field: string]: unknown;
}

interface Quasi {
  value: { cooked?: string };
}

const kernelPackages = new Set(["tapable", "zod"]);
const featureWords = new Set(["tool", "model", "skill"]);
/** The libraries that plugins share; they need neither a plugin nor the kernel. */
const kit = "plugins/kit";
/** The part of the kit that the kernel may import: functions for plain values. */
const values = "@scorel/kit/values/";
/**
 * Modules of plugins whose values others may import: the clients of the host and of a relay, which also run in
 * browsers.
 */
const published = new Set(["@scorel/host/client", "@scorel/host/command-line", "@scorel/relay/browser"]);

/** Every import in a TypeScript source, in any form. Comments and strings are ignored. */
export function importsOf(source: string): readonly Import[] {
  const known = read.get(source);
  if (known) return known;
  const found: Import[] = [];
  for (const node of nodesOf(source)) {
    const from = sourceOf(node);
    if (from !== undefined) found.push({ from, when: whenOf(node) });
  }
  read.set(source, found);
  return found;
}

/** Cached imports by source, since several rules look at the same sources. */
const read = new Map<string, readonly Import[]>();

/** The feature words in identifiers and property names of a source, with the names that contain them. */
export function featureNamesOf(source: string): string[] {
  const names = new Set<string>();
  for (const node of nodesOf(source)) {
    const key = node.key as Node | undefined;
    const name = node.type.endsWith("Identifier") ? node.name : key?.type === "Literal" ? key.value : undefined;
    if (typeof name === "string" && wordsOf(name).some((word) => featureWords.has(word))) names.add(name);
  }
  return [...names];
}

/** Returns one sentence for each violation of the dependency rule; an empty list for a valid tree. */
export function violationsOf(tree: SourceTree): string[] {
  const files = Object.keys(tree.sources);
  return [
    ...files.flatMap((file) => fileViolations(tree, file)),
    ...manifestViolations(tree),
    ...cycleViolations(tree),
    ...importGroupsIn(tree).map((group) => `${group.join(", ")}: these plugins import each other in a cycle`),
  ];
}

function cycleViolations(tree: SourceTree): string[] {
  return importCyclesIn(tree).map((cycle) => `${cycle.join(", ")}: imports form a cycle`);
}

/**
 * Cycles of files that import each other, whether values, types or lazily. Each cycle is a sorted list of all files
 * that can be reached from each other.
 */
export function importCyclesIn({ sources, manifests }: SourceTree): string[][] {
  const cycles: string[][] = [];
  const order = new Map<string, number>();
  const open: string[] = [];
  /** Tarjan's algorithm: returns the index of the earliest open file that can be reached. */
  const visit = (file: string): number => {
    const mine = order.size;
    order.set(file, mine);
    open.push(file);
    let earliest = mine;
    for (const target of targetsOf(file, sources, manifests)) {
      if (!order.has(target)) earliest = Math.min(earliest, visit(target));
      else if (open.includes(target)) earliest = Math.min(earliest, order.get(target) as number);
    }
    if (earliest === mine) {
      const cycle = open.splice(open.indexOf(file));
      if (cycle.length > 1 || targetsOf(file, sources, manifests).includes(file)) cycles.push(cycle.sort());
    }
    return earliest;
  };
  for (const file of Object.keys(sources)) if (!order.has(file)) visit(file);
  return cycles;
}

/** Groups of plugins that import each other, directly or through others, including types; the largest group first. */
export function importGroupsIn({ sources }: SourceTree): string[][] {
  const needs = new Map<string, Set<string>>();
  for (const [path, text] of Object.entries(sources)) {
    const id = /^plugins\/([^/]+)\//.exec(path)?.[1];
    if (id === undefined) continue;
    const others = importsOf(text).flatMap(({ from }) => /^@scorel\/([^/]+)/.exec(from)?.[1] ?? []);
    needs.set(id, new Set([...(needs.get(id) ?? []), ...others]));
  }
  const reached = new Map([...needs.keys()].map((id) => [id, reachedFrom(id, needs)]));
  const groupOf = (id: string) =>
    [...needs.keys()].filter((other) => reached.get(id)?.has(other) && reached.get(other)?.has(id)).sort();
  const found = new Map([...needs.keys()].map(groupOf).map((group) => [group.join(" "), group]));
  return [...found.values()].filter((group) => group.length > 1).sort((a, b) => b.length - a.length);
}

function reachedFrom(id: string, needs: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const other of needs.get(next) ?? [])
      if (other !== next && !reached.has(other)) {
        reached.add(other);
        open.push(other);
      }
  return reached;
}

/** The files in the tree that a file imports. */
function targetsOf(file: string, sources: SourceTree["sources"], manifests: SourceTree["manifests"]): string[] {
  const targets = importsOf(sources[file] ?? "").map(({ from }) => targetOf(file, from, manifests));
  return targets.filter((target) => target in sources);
}

/** The file in the tree that an import refers to. */
function targetOf(file: string, from: string, manifests: SourceTree["manifests"]): string {
  if (from.startsWith(".")) return posix.join(posix.dirname(file), from);
  const [, id, path] = /^@scorel\/([^/]+)(?:\/(.+))?$/.exec(from) ?? [];
  const folder = id === "kernel" ? id : `plugins/${id}`;
  const shown = path === undefined ? "." : `./${path}`;
  const exports = manifests[folder]?.exports ?? {};
  return posix.join(folder, exports[shown] ?? exports["./*"]?.replace("*", path ?? "") ?? from);
}

function fileViolations({ sources, manifests }: SourceTree, file: string): string[] {
  const folder = folderOf(file);
  const source = sources[file] ?? "";
  const bad = importsOf(source).flatMap((it) => {
    const reason = refuse(it, file, manifests[folder] ?? { name: "" });
    return reason ? [`${file}: imports ${it.from}: ${reason}`] : [];
  });
  if (folder !== "kernel") return bad;
  return [...bad, ...featureNamesOf(source).map((name) => `${file}: the kernel knows no feature, but says ${name}`)];
}

/** No documented API lets a worker thread receive the signals of its process. */
const nodeInternals = "internal/test/binding";
const usesInternals = "plugins/extensions/containment/watchdog-thread.js";

/** The folders of the kernel. Each may import only the folders before it and the interfaces beside them. */
const kernelParts = ["calls", "tree", "hooks", "events", "log", "plugins"];

function upwards(file: string, target: string): string | undefined {
  const [own, other] = [file, target].map((path) => kernelParts.indexOf(/^kernel\/(\w+)\//.exec(path)?.[1] ?? ""));
  const isUpwards = own !== undefined && other !== undefined && own >= 0 && other > own;
  return isUpwards ? `in the kernel, ${kernelParts[other]} is built on ${kernelParts[own]}` : undefined;
}

/** Why a file may not import this; undefined if it may. */
function refuse({ from, when }: Import, file: string, manifest: Manifest): string | undefined {
  const folder = folderOf(file);
  if (from.startsWith(".")) {
    const target = posix.join(posix.dirname(file), from);
    const own = target.startsWith(`${folder}/`) || (folder === "presets" && target === "package.json");
    return own ? upwards(file, target) : "it lies outside the package";
  }
  if (from.startsWith("node:") || (from === nodeInternals && file === usesInternals)) return undefined;
  const name = packageOf(from);
  if (folder === "kernel")
    return kernelPackages.has(name) || from.startsWith(values)
      ? undefined
      : "the kernel imports tapable, zod, @scorel/kit/values, node:*";
  if (folder === kit && name.startsWith("@scorel/")) return "the kit imports neither the kernel nor a plugin";
  const isBuild = file.endsWith("/bundle.mjs");
  const needed = isBuild || when === "types" || name.startsWith("@scorel/") ? { ...manifest.devDependencies } : {};
  if (!(name in { ...manifest.dependencies, ...needed })) return `${manifest.name} does not list it`;
  if (!name.startsWith("@scorel/") || name === "@scorel/kernel" || name === "@scorel/kit") return undefined;
  if (published.has(from)) return undefined;
  if (folder === "presets") return when === "load" ? "presets load a plugin when it is asked for" : undefined;
  if (!from.endsWith("/contract")) return "of another plugin only its contract may be imported";
  return when === "types" ? undefined : "a contract is types: use `import type`";
}

function manifestViolations({ sources, manifests }: SourceTree): string[] {
  const versions = new Map<string, string>();
  return Object.entries(manifests).flatMap(([folder, manifest]) => {
    const listed = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    const files = Object.keys(sources).filter((file) => folderOf(file) === folder);
    const used = new Set(files.flatMap((file) => importsOf(sources[file] ?? "").map(({ from }) => packageOf(from))));
    return listed.flatMap(([name, version]) => {
      const first = versions.get(name) ?? version;
      versions.set(name, first);
      const says = `${posix.join(folder, "package.json")}: ${name}`;
      if (!/^(\d+\.\d+\.\d+|workspace:\*)$/.test(version)) return [`${says} has no exact version: ${version}`];
      if (version !== first) return [`${says} is ${version} here and ${first} elsewhere`];
      const isUsed = used.has(name.replace(/^@types\//, ""));
      return files.length > 0 && !isUsed ? [`${says} is listed and never imported`] : [];
    });
  });
}

/** Parses a source without JSX or, if that fails, with JSX: no single setting can parse both kinds. */
function parsed(source: string) {
  try {
    return parseAst(source, { lang: "ts" });
  } catch {
    return parseAst(source, { lang: "tsx" });
  }
}

/** Every node of a source, parents first. */
export function* nodesOf(source: string): Generator<Node> {
  const open: unknown[] = [parsed(source)];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    if ("type" in value && typeof value.type === "string") yield value as Node;
    open.push(...Object.values(value).reverse());
  }
}

function sourceOf(node: Node): string | undefined {
  if (node.type === "TSExternalModuleReference") return literal(node.expression);
  if (node.type === "CallExpression")
    return isRequire(node.callee as Node) ? literal(firstOf(node.arguments)) : undefined;
  return /^(Import|Export|TSImport)/.test(node.type) ? literal(node.source) : undefined;
}

function whenOf(node: Node): Import["when"] {
  if (node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type") return "types";
  return node.type === "ImportExpression" ? "later" : "load";
}

function isRequire(callee: Node): boolean {
  const object = callee.type === "MemberExpression" ? (callee.object as Node) : callee;
  return object.type === "Identifier" && object.name === "require";
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function literal(node: unknown): string | undefined {
  const { type, value, quasis = [] } = (node ?? {}) as { type?: string; value?: unknown; quasis?: Quasi[] };
  if (type === "TemplateLiteral") return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
  return type === "Literal" && typeof value === "string" ? value : undefined;
}

function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.map((word) => word.toLowerCase().replace(/s$/, ""));
}

function folderOf(file: string): string {
  return file.split("/", file.startsWith("plugins/") ? 2 : 1).join("/");
}

function packageOf(from: string): string {
  return from.split("/", from.startsWith("@") ? 2 : 1).join("/");
}
