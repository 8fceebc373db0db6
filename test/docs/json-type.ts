import type { JsonSchema } from "@scorel/host/contract";

/** Nesting depth from which an object is shown without its members. */
const DEEPEST = 2;

/** A JSON Schema as a short TypeScript type. */
export function typeText(schema: JsonSchema, depth = 0): string {
  const { type, items, additionalProperties } = schema as { [key: string]: JsonSchema | undefined };
  const { enum: values, anyOf, allOf } = schema as { enum?: unknown[]; anyOf?: JsonSchema[]; allOf?: JsonSchema[] };
  if ("const" in schema) return JSON.stringify(schema.const);
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf) return [...new Set(anyOf.map((each) => typeText(each, depth)))].join(" | ");
  if (allOf) return allOf.map((each) => typeText(each, depth)).join(" & ");
  if ("$ref" in schema) return "object";
  if (items) return listText(typeText(items, depth));
  if (schema.properties) return objectText(schema, depth);
  if (isSchema(additionalProperties)) return `Record<string, ${typeText(additionalProperties, depth)}>`;
  if (Array.isArray(type)) return type.map((each: string) => typeText({ type: each })).join(" | ");
  return typeof type === "string" ? (plainNames[type as string] ?? type) : "unknown";
}

const plainNames: Readonly<Record<string, string>> = { integer: "whole number", object: "object" };

/** The members of an object: name, schema and whether it is required. */
export function membersOf({ properties = {}, required = [] }: JsonSchema): [string, JsonSchema, boolean][] {
  const names = required as string[];
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, each]) => [
    name,
    each,
    names.includes(name),
  ]);
}

function objectText(schema: JsonSchema, depth: number): string {
  if (depth >= DEEPEST) return "object";
  const members = membersOf(schema).map(
    ([name, each, isRequired]) => `${name}${isRequired ? "" : "?"}: ${typeText(each, depth + 1)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
}

function listText(item: string): string {
  return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
