/** Small faults (mutations) for a source file, found with its syntax tree. */
import { createRequire } from "node:module";

const { parseSync } = await import(createRequire(import.meta.resolve("vitest")).resolve("vite"));

const OPERATORS = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+": "-",
  "-": "+",
};

/**
 * All mutations of a TypeScript source, in source order.
 *
 * @returns {{ start: number, end: number, text: string, what: string }[]} each replaces the characters from `start` to
 * `end` by `text`
 */
export function mutationsIn(source, file) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const found = [];
  visit(program, (node) => {
    for (const [start, end, text] of mutationsOf(node, source))
      found.push({ start, end, text, what: `${source.slice(start, end)} -> ${text || "nothing"}` });
  });
  return found.sort((a, b) => a.start - b.start);
}

/**
 * The mutations of one node. Texts of types, imports and messages are not changed, since no test should depend on them.
 */
function mutationsOf(node, source) {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return operatorSwapped(node, source);
    case "UnaryExpression":
      return node.operator === "!" ? [[node.start, node.argument.start, ""]] : [];
    case "Literal":
      return typeof node.value === "boolean" ? [[node.start, node.end, String(!node.value)]] : [];
    case "IfStatement":
    case "ConditionalExpression":
      return [
        [node.test.start, node.test.end, "false"],
        [node.test.start, node.test.end, "true"],
      ];
    case "ExpressionStatement":
      return isEffect(node.expression) ? [[node.start, node.end, ";"]] : [];
    default:
      return [];
  }
}

function operatorSwapped({ left, right, operator }, source) {
  const swapped = OPERATORS[operator];
  if (swapped === undefined) return [];
  // With strings, + joins them, and no other operator can replace it.
  if ((operator === "+" || operator === "-") && !/^\d/.test(source.slice(right.start))) return [];
  const at = source.indexOf(operator, left.end);
  return at < 0 || at >= right.start ? [] : [[at, at + operator.length, swapped]];
}

function isEffect(expression) {
  const { type, argument } = expression;
  return type === "CallExpression" || (type === "AwaitExpression" && argument.type === "CallExpression");
}

function visit(node, see) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) {
    for (const each of node) visit(each, see);
    return;
  }
  if (typeof node.type !== "string" || node.type.startsWith("TS") || node.type === "ImportDeclaration") return;
  see(node);
  for (const [key, value] of Object.entries(node)) if (key !== "parent") visit(value, see);
}
