import { metaAt } from "@scorel/kit/schema/keys";
import type { KeyPath } from "@scorel/kit/values/table";
import type { z } from "zod";

/**
 * What the plugin that owns a key says a project could do with it, as `.meta({ trust: { kind, could } })` in its schema:
 * `redirect` sends words or keys elsewhere, `weakens` changes what the user has set to be safe, `code` names a program.
 */
export interface TrustMark {
  kind: "redirect" | "weakens" | "code";
  could: string;
}

/** The mark of a key, or of the nearest table or list around it, in any alternative of a schema. */
export function markAt(schema: z.ZodType | undefined, path: KeyPath): TrustMark | undefined {
  return metaAt(schema, path, "trust") as TrustMark | undefined;
}
