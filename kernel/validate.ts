import { describeIssues } from "@scorel/kit/values/issue-text";
import type { z } from "zod";
import { errors } from "./errors.ts";

/** Checks a payload and answers it as the schema outputs it; throws EVENT_INVALID naming each wrong field. */
export function parsePayload(type: string, schema: z.ZodType, payload: unknown): Record<string, unknown> {
  const result = schema.safeParse(payload, { jitless: isCold(schema) });
  if (result.success) return result.data as Record<string, unknown>;
  throw errors.EVENT_INVALID({ type, issues: describeIssues(result.error) });
}

const HOT = 100;
const uses = new WeakMap<z.ZodType, number>();

/** zod compiles a schema at its first use, which costs more than it saves until the schema has been used often. */
function isCold(schema: z.ZodType): boolean {
  const count = (uses.get(schema) ?? 0) + 1;
  if (count <= HOT) uses.set(schema, count);
  return count <= HOT;
}
