import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Node, nodesOf } from "../architecture.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Reads a file of this repository by its path from the root. */
export const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The TypeScript files below a folder, as paths from the root. */
export function filesOf(folder: string, extension = ".ts"): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesOf(path, extension);
    return entry.isFile() && entry.name.endsWith(extension) ? [path] : [];
  });
}

/** A row of an open table, declared in the kernel or a plugin's contract.ts. */
export interface Row {
  table: string;
  name: string;
  doc: string;
  /** The source text: `tools: Tool[]`. */
  text: string;
  /** The folder of the declaration: `kernel`, `plugins/agent`. */
  owner: string;
  /** The names of types in the row. */
  mentions: string[];
}

/** A type that a contract declares. */
export interface Declaration {
  name: string;
  doc: string;
  text: string;
  mentions: string[];
}

/** Members that a contract adds to an interface of another one. */
export interface Addition {
  /** The folder of the other contract: `plugins/agent`. */
  to: string;
  name: string;
  /** The members as written, with their docstrings. */
  members: string;
  mentions: string[];
}

/** Rows of the open tables and the types in the same files, in source order. */
export interface Contract {
  rows: Row[];
  declarations: Declaration[];
  /** Types of other contracts that this contract also exports: name -> folder. */
  shared: Map<string, string>;
  additions: Addition[];
}

const tables = new Set(["Services", "Hooks", "Events", "Transients", "Contributions", "Projections", "Types"]);

/** Reads the merged rows of a contract, and those of the open tables that it declares itself. */
export function contractOf(source: string, owner: string): Contract {
  const contract: Contract = { rows: [], declarations: [], shared: sharedIn(source), additions: [] };
  const program = [...nodesOf(source)][0] as Node;
  for (const statement of program.body as Node[]) {
    if (statement.type === "TSModuleDeclaration")
      for (const inner of bodyOf(statement)) {
        contract.rows.push(...rowsOf(source, bare(inner), owner));
        contract.additions.push(...additionIn(source, statement, bare(inner)));
      }
    else addDeclaration(contract, source, statement, owner);
  }
  return contract;
}

/**
 * The nodes of a source; none if the source does not contain the name, since parsing all files for each name takes most
 * of the time.
 */
function nodesNaming(source: string, name: string): Node[] {
  return source.includes(name) ? [...nodesOf(source)] : [];
}

/** Finds calls of `<anything>.name("literal", second?)` in a source. */
export function callsOf(source: string, name: string): { first: string; second: Node | undefined }[] {
  return nodesNaming(source, name).flatMap((node) => {
    if (node.type !== "CallExpression") return [];
    const callee = node.callee as Node;
    const [first, second] = node.arguments as Node[];
    const called = callee.type === "MemberExpression" ? nameOf(callee.property as Node) : nameOf(callee);
    if (called !== name || first?.type !== "Literal" || typeof first.value !== "string") return [];
    return [{ first: first.value, second }];
  });
}

/** The names of all properties and methods below properties called `name`, at any depth. */
export function keysWithin(source: string, name: string): string[] {
  return nodesNaming(source, name)
    .filter((node) => node.type === "Property" && nameOf(node.key as Node) === name)
    .flatMap((node) => [...inside(node.value)].filter(({ type }) => type === "Property"))
    .flatMap((node) => nameOf(node.key as Node) ?? []);
}

/** The names of the properties in the objects that functions called `name` return. */
export function keysReturned(sources: readonly string[], name: string): string[] {
  const named = sources.flatMap((source) =>
    nodesNaming(source, name).filter((node) => node.type === "Property" && nameOf(node.key as Node) === name),
  );
  const returned = named
    .flatMap((node) => [...inside(node.value)])
    .flatMap((node) => {
      if (node.type === "ReturnStatement") return [node.argument as Node];
      return node.type === "ArrowFunctionExpression" ? [node.body as Node] : [];
    });
  return returned
    .filter((node) => node?.type === "ObjectExpression")
    .flatMap(({ properties }) => (properties as Node[]).flatMap(({ key }) => nameOf(key as Node | undefined) ?? []));
}

/** The name in an identifier or string literal. */
export function nameOf(node: Node | undefined): string | undefined {
  if (node?.type === "Identifier") return node.name as string;
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

/** All nodes below a value of the syntax tree. */
export function* inside(value: unknown): Generator<Node> {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && typeof value.type === "string") yield value as Node;
  for (const child of Object.values(value)) yield* inside(child);
}

/** The docstring before a node, on one line. */
export function docBefore(source: string, start: number): string {
  const found = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:\/\/ biome-ignore[^\n]*\n\s*)?$/.exec(source.slice(0, start));
  const lines = (found?.[1] ?? "").split("\n").map((line) => line.replace(/^\s*\*? ?/, "").trim());
  return lines.join(" ").trim();
}

function addDeclaration(contract: Contract, source: string, statement: Node, owner: string): void {
  const declaration = bare(statement);
  if (!["TSInterfaceDeclaration", "TSTypeAliasDeclaration"].includes(declaration.type)) return;
  const name = nameOf(declaration.id as Node) as string;
  if ((owner === "kernel" && tables.has(name)) || name === "Operations")
    contract.rows.push(...rowsOf(source, declaration, owner));
  else
    contract.declarations.push({
      name,
      doc: docBefore(source, statement.start as number),
      text: slice(source, declaration),
      mentions: mentionsIn(declaration),
    });
}

/** Types of other contracts that a source also exports: name -> folder. */
function sharedIn(source: string): Map<string, string> {
  const imported = new Map<string, string>();
  const shared = new Map<string, string>();
  for (const statement of ([...nodesOf(source)][0] as Node).body as Node[]) {
    const specifiers = (statement.specifiers ?? []) as Node[];
    const folder = folderOf(nameOf(statement.source as Node | undefined));
    for (const { imported: name } of specifiers) if (folder && name) imported.set(nameOf(name as Node) ?? "", folder);
    if (statement.type !== "ExportNamedDeclaration") continue;
    for (const { local } of specifiers) {
      const name = nameOf(local as Node) ?? "";
      const from = folder ?? imported.get(name);
      if (from !== undefined) shared.set(name, from);
    }
  }
  return shared;
}

function additionIn(source: string, module: Node, inner: Node): Addition[] {
  const to = folderOf(nameOf(module.id as Node));
  const name = inner.type === "TSInterfaceDeclaration" ? nameOf(inner.id as Node) : undefined;
  if (to === undefined || name === undefined) return [];
  const { start, end } = inner.body as Node;
  return [{ to, name, members: source.slice(Number(start) + 1, Number(end) - 1), mentions: mentionsIn(inner) }];
}

const folderOf = (from: string | undefined) => {
  const id = /^@scorel\/(.+)\/contract$/.exec(from ?? "")?.[1];
  return id === undefined ? undefined : `plugins/${id}`;
};

function rowsOf(source: string, table: Node, owner: string): Row[] {
  if (table.type !== "TSInterfaceDeclaration") return [];
  const name = nameOf(table.id as Node) as string;
  return bodyOf(table).map((member) => ({
    table: name,
    name: nameOf(member.key as Node) as string,
    doc: docBefore(source, member.start as number),
    text: dedent(slice(source, member)).replace(/;$/, ""),
    owner,
    mentions: mentionsIn(member),
  }));
}

/** The declaration in an `export` statement, or the node itself. */
function bare(node: Node): Node {
  return node.type === "ExportNamedDeclaration" && node.declaration ? (node.declaration as Node) : node;
}

function bodyOf(node: Node): Node[] {
  return (node.body as { body: Node[] }).body;
}

function mentionsIn(node: Node): string[] {
  const names = [...inside(node)].flatMap((inner) => {
    if (inner.type === "TSTypeReference") return nameOf(inner.typeName as Node) ?? [];
    return inner.type === "TSInterfaceHeritage" ? (nameOf(inner.expression as Node) ?? []) : [];
  });
  return [...new Set(names)];
}

function slice(source: string, node: Node): string {
  return source.slice(node.start as number, node.end as number);
}

/** Removes the indentation that all lines but the first have in common. */
function dedent(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  const widths = rest.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  return [first, ...rest.map((line) => line.slice(Math.min(...widths)))].join("\n");
}
