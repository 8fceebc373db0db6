import { describeIssues } from "@scorel/kit/values/issue-text";
import type { z } from "zod";
import { errors } from "../errors.ts";

/** Validates a payload and returns the schema's output. Throws EVENT_INVALID, which names each invalid field. */
export function parsePayload(type: string, schema: z.ZodType, payload: unknown): Record<string, unknown> {
  const result = schema.safeParse(payload, { jitless: isCold(schema) });
  if (result.success) return result.data as Record<string, unknown>;
  throw errors.EVENT_INVALID({ type, issues: describeIssues(result.error) });
}

const HOT = 100;
const uses = new WeakMap<z.ZodType, number>();

/** Whether a schema is used too rarely for compilation to pay off. zod would compile it at its first use. */
function isCold(schema: z.ZodType): boolean {
  const count = (uses.get(schema) ?? 0) + 1;
  if (count <= HOT) uses.set(schema, count);
  return count <= HOT;
}
