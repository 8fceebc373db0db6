import { errors } from "./errors.ts";

type Json = Record<string, unknown>;

/** The most schema parts after inlining, which may copy shared parts many times. */
const MAX_NODES = 5_000;

/**
 * Replaces `#/...` references by what they refer to, because some providers drop definitions. A schema without references is
 * returned unchanged. Throws TOOL_SCHEMA for references to itself or to other documents.
 */
export function inlineReferences(schema: Json): Json {
  if (!hasReference(schema)) return schema;
  const budget = { nodes: MAX_NODES };
  const { $defs: _defs, definitions: _definitions, ...rest } = resolve(schema, schema, [], budget) as Json;
  return rest;
}

function hasReference(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return (!Array.isArray(value) && typeof (value as Json).$ref === "string") || Object.values(value).some(hasReference);
}

function resolve(value: unknown, root: Json, open: readonly string[], budget: { nodes: number }): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (--budget.nodes < 0) throw refused("its references expand to too many parts; flatten it");
  if (Array.isArray(value)) return value.map((item) => resolve(item, root, open, budget));
  const { $ref: reference, ...rest } = value as Json;
  if (typeof reference !== "string") return mapValues(rest, value === root, root, open, budget);
  if (open.includes(reference))
    throw refused(`it refers to itself (${reference}); describe the nested part as a plain object or a JSON string`);
  const target = resolve(lookUp(reference, root), root, [...open, reference], budget);
  return { ...(target as Json), ...mapValues(rest, false, root, open, budget) };
}

function mapValues(
  object: Json,
  isRoot: boolean,
  root: Json,
  open: readonly string[],
  budget: { nodes: number },
): Json {
  const kept = Object.entries(object).filter(([key]) => !isRoot || (key !== "$defs" && key !== "definitions"));
  return Object.fromEntries(kept.map(([key, value]) => [key, resolve(value, root, open, budget)]));
}

function lookUp(reference: string, root: Json): unknown {
  if (reference !== "#" && !reference.startsWith("#/"))
    throw refused(`its reference ${reference} does not begin with "#/"`);
  let at: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    at = typeof at === "object" && at !== null ? (at as Json)[key] : undefined;
  }
  if (typeof at !== "object" || at === null) throw refused(`its reference ${reference} does not exist`);
  return at;
}

function refused(reason: string): Error {
  return errors.TOOL_SCHEMA({ reason });
}
