import type { Node } from "../architecture.ts";
import { nodesOf } from "../architecture.ts";
import { inside, nameOf } from "./source.ts";

type Template = (facts: unknown) => string;

/** One code of an error table with the form of its message: facts stand as `<plugin>`. */
export interface ErrorForm {
  code: string;
  message: string;
}

/** The forms of a table, given the source that declares the types of its facts. */
export function errorFormsOf(table: Record<string, Template>, source: string): ErrorForm[] {
  const types = factTypesOf(source);
  return Object.entries(table).map(([code, template]) => ({
    code,
    message: template(placeholders(types.get(code) ?? new Map())),
  }));
}

/** For each code, which of its facts are lists. */
function factTypesOf(source: string): Map<string, Map<string, "list" | "one">> {
  const found = new Map<string, Map<string, "list" | "one">>();
  for (const node of nodesOf(source)) {
    const value = node.value as Node | undefined;
    if (node.type !== "Property" || value?.type !== "ArrowFunctionExpression") continue;
    const code = nameOf(node.key as Node);
    if (code !== undefined) found.set(code, factsOf(value));
  }
  return found;
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

/** A list with one placeholder whose length prints as a placeholder too. */
function listOf(fact: string): readonly string[] {
  const length = { [Symbol.toPrimitive]: (hint: string) => (hint === "number" ? 1 : "<number>") };
  return new Proxy([`<${fact}>`], {
    get: (target, key) => (key === "length" ? length : Reflect.get(target, key)),
  });
}
