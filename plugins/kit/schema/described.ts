import type { z } from "zod";
import type { KeyPath } from "../values/table.ts";

/** The parts of zod's definitions that are looked into. */
interface Definition {
  innerType?: z.ZodType;
  in?: z.ZodType;
  shape?: Readonly<Record<string, z.ZodType>>;
  valueType?: z.ZodType;
  element?: z.ZodType;
  options?: readonly z.ZodType[];
}

/**
 * What a schema says about the key at a path in `value`, or about the nearest one around it; undefined where it says nothing.
 */
export function describedAt(schema: z.ZodType | undefined, path: KeyPath, value: unknown): string | undefined {
  if (!schema) return undefined;
  const [key, ...rest] = path;
  if (key === undefined) return ownDescription(schema);
  return describedAt(partOf(schema, key, value), rest, Object(value)[key]) ?? ownDescription(schema);
}

/** The schema of a key; of several alternatives, in the one that fits the value. */
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
