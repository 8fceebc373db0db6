import type { z } from "zod";
import type { KeyPath } from "../values/table.ts";

/** The parts of zod's schema definitions that are used here. */
interface Definition {
  innerType?: z.ZodType;
  in?: z.ZodType;
  shape?: Readonly<Record<string, z.ZodType>>;
  valueType?: z.ZodType;
  element?: z.ZodType;
  options?: readonly z.ZodType[];
}

/**
 * The schema's description of the key at a path in `value`, or of the nearest key around it that has one; undefined if none has.
 */
export function describedAt(schema: z.ZodType | undefined, path: KeyPath, value: unknown): string | undefined {
  if (!schema) return undefined;
  const [key, ...rest] = path;
  if (key === undefined) return ownDescription(schema);
  return describedAt(partOf(schema, key, value), rest, Object(value)[key]) ?? ownDescription(schema);
}

/** The schema of a key. In a union, the alternative that accepts the value is used. */
function partOf(schema: z.ZodType, key: string | number, value: unknown): z.ZodType | undefined {
  const def = schema.def as Definition;
  const wrapped = def.innerType ?? def.in;
  if (wrapped) return partOf(wrapped, key, value);
  if (def.shape) return Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
  const option = def.options?.find((each) => each.safeParse(value).success);
  return option ? partOf(option, key, value) : (def.valueType ?? def.element);
}

function ownDescription(schema: z.ZodType): string | undefined {
  if (schema.description !== undefined) return schema.description;
  const { innerType } = schema.def as Definition;
  return innerType && ownDescription(innerType);
}
