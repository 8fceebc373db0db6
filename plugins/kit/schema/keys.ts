import type { z } from "zod";
import { isTable, type KeyPath } from "../values/table.ts";

/**
 * The paths of keys in a value, at any depth, that its schema does not name, whether or not the schema is strict. Schemas that
 * accept any key (records, `catchall`, `any`) have no unknown keys.
 */
export function unknownKeys(schema: z.ZodType, value: unknown, path: KeyPath = []): KeyPath[] {
  const def = schema._zod.def as unknown as Definition;
  switch (def.type) {
    case "object":
      return isTable(value) ? ofObject(def, value, path) : [];
    case "array":
      return each(value, path, () => def.element);
    case "tuple":
      return each(value, path, (index) => def.items?.[index] ?? def.rest ?? undefined);
    case "record":
      return ofRecord(def, value, path);
    case "union":
      return ofUnion(def, value, path);
    case "intersection":
      return ofIntersection(def, value, path);
    case "pipe":
      return def.in ? unknownKeys(def.in, value, path) : [];
    case "lazy":
      return def.getter ? unknownKeys(def.getter(), value, path) : [];
    default:
      return def.innerType ? unknownKeys(def.innerType, value, path) : [];
  }
}

/** The keys that a schema names for the table at a path. */
export function knownKeys(schema: z.ZodType, path: KeyPath): string[] {
  const def = schema._zod.def as unknown as Definition;
  const inner = def.options ?? [def.left, def.right].filter((side) => side !== undefined);
  const wrapped = def.innerType ?? def.in ?? def.getter?.();
  if (wrapped) inner.push(wrapped);
  if (inner.length > 0) return [...new Set(inner.flatMap((each) => knownKeys(each, path)))];
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(def.shape ?? {});
  const next = def.shape?.[key] ?? def.element ?? def.valueType;
  return next ? knownKeys(next, rest) : [];
}

/**
 * The metadata of a key under a name, as set by `.meta()`; else that of the nearest table or list around the key. All alternatives
 * of a union are searched.
 */
export function metaAt(schema: z.ZodType | undefined, path: KeyPath, name: string): unknown {
  if (!schema) return undefined;
  const def = schema._zod.def as unknown as Definition;
  for (const inner of [...(def.options ?? []), def.left, def.right, def.in, def.innerType, def.getter?.()]) {
    const found = metaAt(inner, path, name);
    if (found !== undefined) return found;
  }
  const [key, ...rest] = path;
  const own = key !== undefined && def.shape && Object.hasOwn(def.shape, key) ? def.shape[String(key)] : undefined;
  const next = key === undefined ? undefined : (own ?? def.valueType ?? def.element);
  return metaAt(next, rest, name) ?? schema.meta()?.[name];
}

/** The part of zod's schema definitions that is used here. */
interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  catchall?: z.ZodType;
  element?: z.ZodType;
  items?: z.ZodType[];
  rest?: z.ZodType | null;
  valueType?: z.ZodType;
  options?: z.ZodType[];
  discriminator?: string;
  left?: z.ZodType;
  right?: z.ZodType;
  in?: z.ZodType;
  getter?(): z.ZodType;
  innerType?: z.ZodType;
}

function ofObject({ shape = {}, catchall }: Definition, value: Record<string, unknown>, path: KeyPath): KeyPath[] {
  const open = catchall !== undefined && catchall._zod.def.type !== "never";
  return Object.entries(value).flatMap(([key, inner]) => {
    const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (schema) return unknownKeys(schema, inner, [...path, key]);
    return open ? [] : [[...path, key]];
  });
}

function ofRecord({ valueType }: Definition, value: unknown, path: KeyPath): KeyPath[] {
  if (!isTable(value) || !valueType) return [];
  return Object.entries(value).flatMap(([key, inner]) => unknownKeys(valueType, inner, [...path, key]));
}

/** The unknown keys according to the alternative of a union that has the fewest of them. */
function ofUnion({ options = [], discriminator }: Definition, value: unknown, path: KeyPath): KeyPath[] {
  const fitting = options.filter((option) => option.safeParse(value).success);
  const left = (fitting.length > 0 ? fitting : likely(options, discriminator, value)).map((option) =>
    unknownKeys(option, value, path),
  );
  return left.sort((a, b) => a.length - b.length)[0] ?? [];
}

/** The alternatives whose literal values, or discriminator (`type = "custom"`), match the value. */
function likely(
  options: readonly z.ZodType[],
  discriminator: string | undefined,
  value: unknown,
): readonly z.ZodType[] {
  if (!isTable(value)) return [];
  const isFixed = (key: string, schema: z.ZodType) => key === discriminator || schema._zod.def.type === "literal";
  return options.filter((option) =>
    Object.entries((option._zod.def as unknown as Definition).shape ?? {}).every(
      ([key, schema]) => !isFixed(key, schema) || schema.safeParse(value[key]).success,
    ),
  );
}

function ofIntersection({ left, right }: Definition, value: unknown, path: KeyPath): KeyPath[] {
  if (!left || !right) return [];
  const keys = new Set(unknownKeys(left, value, path).map((key) => JSON.stringify(key)));
  return unknownKeys(right, value, path).filter((key) => keys.has(JSON.stringify(key)));
}

function each(value: unknown, path: KeyPath, schemaOf: (index: number) => z.ZodType | undefined): KeyPath[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((element, index) => {
    const schema = schemaOf(index);
    return schema ? unknownKeys(schema, element, [...path, index]) : [];
  });
}
