import type { z } from "zod";
import type { KeyPath } from "../layers/merge.ts";

/**
 * What the plugin that owns a key says a project could do with it, as `.meta({ trust: { kind, could } })` in its schema:
 * `redirect` sends words or keys elsewhere, `weakens` changes what the user has set to be safe, `code` names a program.
 */
export interface TrustMark {
  kind: "redirect" | "weakens" | "code";
  could: string;
}

interface Definition {
  shape?: Record<string, z.ZodType>;
  valueType?: z.ZodType;
  element?: z.ZodType;
  options?: z.ZodType[];
  left?: z.ZodType;
  right?: z.ZodType;
  in?: z.ZodType;
  innerType?: z.ZodType;
  getter?(): z.ZodType;
}

/** The mark of a key, or of the nearest table or list around it, in any alternative of a schema. */
export function markAt(schema: z.ZodType | undefined, path: KeyPath): TrustMark | undefined {
  if (!schema) return undefined;
  const def = schema._zod.def as unknown as Definition;
  const around = [...(def.options ?? []), def.left, def.right, def.in, def.innerType, def.getter?.()];
  const inside = firstOf(around, (inner) => markAt(inner, path));
  if (inside) return inside;
  const [key, ...rest] = path;
  const next = key === undefined ? undefined : (ownShape(def, key) ?? def.valueType ?? def.element);
  return (next && markAt(next, rest)) ?? (schema.meta()?.trust as TrustMark | undefined);
}

function ownShape({ shape }: Definition, key: string | number): z.ZodType | undefined {
  return shape && Object.hasOwn(shape, key) ? shape[String(key)] : undefined;
}

function firstOf<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
