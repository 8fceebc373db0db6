import { type Node, nodesOf } from "../architecture.ts";
import { contractWith, type Facts, rowsOf } from "./facts.ts";
import { type Contract, type Declaration, inside, nameOf, type Row } from "./source.ts";

/** The path of the generated table of required members of services. */
export const shapeList = "plugins/extensions/checks/service-shapes.ts";

export function serviceShapes(facts: Facts): string {
  const rows = rowsOf(facts, "Services").map((row) => `  ${row.name}: ${written(shapeOf(facts, row))},`);
  return `// Generated from the plugins' contracts by \`npm run docs\`; do not edit.

/** The required members of each service by name, or \`function\` for a service that is itself a function. */
export const serviceShapes: Readonly<Record<string, "function" | Readonly<Record<string, "function" | "value">>>> = {
${rows.join("\n")}
};
`;
}

/** Formats a shape with one member on each line, as the formatter requires. */
function written(shape: "function" | Members): string {
  if (shape === "function") return `"${shape}"`;
  return `{\n${Object.entries(shape)
    .map(([name, kind]) => `    ${name}: "${kind}",\n`)
    .join("")}  }`;
}

type Members = Record<string, "function" | "value">;

function shapeOf(facts: Facts, row: Row): "function" | Members {
  const [type] = [...nodesOf(`interface Row { ${row.text} }`)].filter(({ type }) => type === "TSTypeAnnotation");
  const annotation = type?.typeAnnotation as Node;
  if (annotation.type === "TSFunctionType") return "function";
  const own = contractWith(facts, row);
  const name = nameOf(annotation.typeName as Node);
  const declaration = own.declarations.find((each) => each.name === name);
  if (!declaration) throw new Error(`the type of the service "${row.name}" is not declared beside it`);
  return membersOf(declaration, own);
}

/** Required members, after those of extended types. */
function membersOf({ text }: Declaration, contract: Contract): Members {
  const nodes = [...nodesOf(text)];
  const parents = nodes
    .filter(({ type }) => type === "TSInterfaceHeritage")
    .flatMap(({ expression }) => contract.declarations.filter(({ name }) => name === nameOf(expression as Node)));
  const [body] = nodes.filter(({ type }) => type === "TSInterfaceBody");
  const members = (body?.body ?? []) as Node[];
  return Object.assign(
    {},
    ...parents.map((parent) => membersOf(parent, contract)),
    ...members
      .filter(({ optional }) => !optional)
      .map((member) => ({ [nameOf(member.key as Node) ?? ""]: kindOf(member) })),
  );
}

/** The kind of a member; a type that is not written as a function counts as a value. */
function kindOf(member: Node): "function" | "value" {
  if (member.type === "TSMethodSignature") return "function";
  const annotation = (member.typeAnnotation as Node | undefined)?.typeAnnotation;
  return [...inside(annotation)][0]?.type === "TSFunctionType" ? "function" : "value";
}
