import type { Node } from "../architecture.ts";
import { nodesOf } from "../architecture.ts";
import { inside, nameOf } from "./source.ts";

type Template = (facts: unknown) => string;
export type ErrorRow = Template | { exit: number; text: Template };

/** A code of an error table, with the form of its message: values are written as `<plugin>`. */
export interface ErrorForm {
  code: string;
  message: string;
  /** The exit code of a command that fails with it. */
  exit: number;
}

/** The message forms of a table. `source` declares the types of the values. */
export function errorFormsOf(table: Record<string, ErrorRow>, source: string): ErrorForm[] {
  const types = factTypesOf(source);
  return Object.entries(table).map(([code, row]) => {
    const { exit, text } = typeof row === "function" ? { exit: 1, text: row } : row;
    // A number that was computed from a placeholder is NaN.
    const message = text(placeholders(types.get(code) ?? new Map())).replaceAll("NaN", "<number>");
    return { code, message, exit };
  });
}

/** For each code, the names of the values that are lists. */
function factTypesOf(source: string): Map<string, Map<string, "list" | "one">> {
  const found = new Map<string, Map<string, "list" | "one">>();
  for (const node of nodesOf(source)) {
    const code = node.type === "Property" ? nameOf(node.key as Node) : undefined;
    const template = code === undefined ? undefined : templateOf(node.value as Node);
    if (code !== undefined && template) found.set(code, factsOf(template));
  }
  return found;
}

/** The template of a row: the row itself, or its field `text`. */
function templateOf(row: Node): Node | undefined {
  if (row.type === "ArrowFunctionExpression") return row;
  const properties = row.type === "ObjectExpression" ? (row.properties as Node[]) : [];
  return properties.find(({ key }) => nameOf(key as Node) === "text")?.value as Node | undefined;
}

function factsOf(template: Node): Map<string, "list" | "one"> {
  const [parameter] = template.params as Node[];
  const signatures = [...inside(parameter)].filter(({ type }) => type === "TSPropertySignature");
  return new Map(
    signatures.map((signature) => {
      const isList = [...inside(signature.typeAnnotation)].some(
        (type) => type.type === "TSArrayType" || nameOf(type.typeName as Node | undefined) === "ReadonlyArray",
      );
      return [nameOf(signature.key as Node) as string, isList ? "list" : "one"] as const;
    }),
  );
}

function placeholders(types: ReadonlyMap<string, "list" | "one">): unknown {
  return new Proxy(
    {},
    { get: (_target, fact) => (types.get(String(fact)) === "list" ? listOf(String(fact)) : `<${String(fact)}>`) },
  );
}

/** A list with one placeholder, whose length is printed as a placeholder, too. */
function listOf(fact: string): readonly string[] {
  const length = { [Symbol.toPrimitive]: (hint: string) => (hint === "number" ? 1 : "<number>") };
  return new Proxy([rowOf(`<${fact}>`)], {
    get: (target, key) => (key === "length" ? length : Reflect.get(target, key)),
  });
}

/** An entry of a list: a string, or an object whose fields are placeholders. */
function rowOf(text: string): string {
  const get = (_target: object, key: string | symbol) => {
    if (key === Symbol.toPrimitive || key === "toString" || key === "toJSON") return () => text;
    const own: unknown = Reflect.get(Object(text), key);
    if (typeof own === "function") return own.bind(text);
    return own ?? (typeof key === "symbol" ? undefined : `<${key}>`);
  };
  return new Proxy({}, { get }) as string;
}
