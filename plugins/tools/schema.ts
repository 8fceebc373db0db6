import { nearest } from "@scorel/kit/values/nearest";
import { remembered } from "@scorel/kit/values/remembered";
import { z } from "zod";
import { errors } from "./errors.ts";
import { inlineReferences } from "./refs.ts";

type Json = Record<string, unknown>;
type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];
type Checked = { ok: true; value: unknown } | { ok: false; issues: string };

/** The number of schemas whose checks are cached for sessions that the process opens later. */
const KEPT_CHECKS = 500;

/** A tool's parameters: the schema for the model, and a check of arguments. */
export interface ReadParameters {
  /** The same object each time, without `$schema` and references. */
  schema: Json;
  /** Whether the schema is from zod, so that checking applies defaults and transforms. */
  zod: boolean;
  check(args: unknown): Checked;
}

/** Reads JSON Schema, TypeBox or zod 4. Throws TOOL_SCHEMA with the reason for anything else. */
export function readParameters(parameters: unknown): ReadParameters {
  if (isZod(parameters)) return fromZod(parameters);
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters))
    throw refused("its parameters are not a schema; use JSON Schema, TypeBox or zod");
  if ("_def" in parameters) throw refused("its parameters are a zod 3 schema; use zod 4");
  return fromJsonSchema(parameters as Json);
}

function isZod(value: unknown): value is z.ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

function fromZod(type: z.ZodType): ReadParameters {
  const schema = objectSchema(toJsonSchema(type));
  return { schema, zod: true, check: (args) => checked(type.safeParse(args)) };
}

/** The JSON Schemas of zod schemas as text. Converting them takes longer than the rest of opening a session. */
const converted = new WeakMap<z.ZodType, string>();

function toJsonSchema(type: z.ZodType): Json {
  const text = converted.get(type) ?? JSON.stringify(convert(type));
  converted.set(type, text);
  return JSON.parse(text) as Json;
}

function convert(type: z.ZodType): Json {
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(type, {
      io: "input",
      cycles: "throw",
      override: withoutIntegerBounds,
    });
    return schema as Json;
  } catch (thrown) {
    const [reason = ""] = String((thrown as Error).message).split("\n");
    throw refused(`its zod schema cannot be converted to JSON Schema (${reason})`);
  }
}

/** Removes zod's limits of JavaScript integers, which do not help a model. */
function withoutIntegerBounds({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

function fromJsonSchema(given: Json): ReadParameters {
  const { $schema: version, ...rest } = given;
  const schema = objectSchema(inlineReferences(version === undefined ? given : rest));
  const type = checkable(schema);
  return {
    schema,
    zod: false,
    check(args) {
      const result = checked(type.safeParse(args));
      return result.ok ? { ok: true, value: args } : result;
    },
  };
}

/**
 * A check of arguments, for use after hooks may have changed them. The agent library has already checked the model's
 * arguments completely; keywords that zod cannot express are skipped here.
 */
function checkable(schema: Json): z.ZodType {
  const wrong = wrongTypeIn(schema);
  if (wrong !== undefined)
    throw refused(
      `its schema has the type ${JSON.stringify(wrong)}${meantType(wrong) || ", which JSON Schema does not have"}`,
    );
  try {
    return checkOf(JSON.stringify(expressible(schema)));
  } catch (thrown) {
    const [reason = ""] = String((thrown as Error).message).split("\n");
    throw refused(`its schema cannot be checked (${reason})`);
  }
}

/** The check for a schema's JSON text. Cached, since each session has the same tools. */
const checkOf = remembered((text) => z.fromJSONSchema(JSON.parse(text) as JsonSchema), KEPT_CHECKS);

const PASSED_OVER = new Set([
  ...["if", "then", "else", "not", "dependentSchemas", "dependentRequired", "dependencies"],
  ...["unevaluatedItems", "unevaluatedProperties", "format", "default"],
]);
const VALUES = new Set(["const", "enum", "examples", "required"]);

/** The schema without skipped keywords; properties and values with such names are kept. */
function expressible(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(expressible);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => !PASSED_OVER.has(key));
  return Object.fromEntries(kept.map(([key, part]) => [key, VALUES.has(key) ? part : expressiblePart(key, part)]));
}

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];

const SCHEMAS_BY_NAME = ["properties", "patternProperties"];
const SCHEMAS = [
  "items",
  "prefixItems",
  "additionalProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "contains",
  "propertyNames",
];

/** The first type in a schema that does not exist in JSON Schema. */
function wrongTypeIn(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return undefined;
  if (Array.isArray(schema)) return firstWrongType(schema);
  const { type, ...parts } = schema as Json;
  const wrong = [type].flat().find((one) => one !== undefined && !TYPES.includes(one as string));
  if (wrong !== undefined) return wrong;
  return firstWrongType([
    ...SCHEMAS_BY_NAME.flatMap((key) => Object.values(parts[key] ?? {})),
    ...SCHEMAS.map((key) => parts[key]),
  ]);
}

function firstWrongType(schemas: readonly unknown[]): unknown {
  for (const schema of schemas) {
    const wrong = wrongTypeIn(schema);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function meantType(type: unknown): string {
  const near = typeof type === "string" ? nearest(type, TYPES) : undefined;
  return near === undefined || near === type ? "" : `, which is probably meant to be "${near}"`;
}

function expressiblePart(key: string, part: unknown): unknown {
  if (key !== "properties" && key !== "patternProperties") return expressible(part);
  return Object.fromEntries(Object.entries(part as Json).map(([name, schema]) => [name, expressible(schema)]));
}

/** Ensures that the parameters are an object, as providers require. */
function objectSchema(schema: Json): Json {
  if (schema.type !== undefined && schema.type !== "object")
    throw refused(
      `its parameters are of type ${JSON.stringify(schema.type)}${meantType(schema.type)}; they must be an object`,
    );
  return schema.type === "object" && schema.properties
    ? schema
    : { ...schema, type: "object", properties: schema.properties ?? {} };
}

function checked(result: z.ZodSafeParseResult<unknown>): Checked {
  if (result.success) return { ok: true, value: result.data };
  const issues = result.error.issues.map((issue) => `  - ${issue.path.join(".") || "root"}: ${issue.message}`);
  return { ok: false, issues: issues.join("\n") };
}

function refused(reason: string): Error {
  return errors.TOOL_SCHEMA({ reason });
}
