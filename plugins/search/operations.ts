import type { Operation, OperationHandler, Operations } from "@scorel/host/contract";
import type { Contributions, SessionHeader } from "@scorel/kernel";
import type { SessionMeta } from "@scorel/messages/contract";
import { z } from "zod";
import type { Hit } from "./contract.ts";

const DEFAULT_LIMIT = 50;

/** The same as the commands, for any client. */
export function operations(): Contributions["operations"] {
  return {
    search_sessions: handler(
      z.strictObject({
        text: z.string(),
        caseSensitive: z.boolean().optional(),
        limit: z.number().int().min(1).max(1000).optional(),
      }),
      async ({ text, caseSensitive, limit = DEFAULT_LIMIT }, { sessionsDir: directory }) => {
        const { search } = await import("./hits.ts");
        const hits: Hit[] = [];
        const { signal } = new AbortController();
        for await (const hit of search({ directory, text, caseSensitive, signal })) {
          if (hits.length === limit) return { hits, more: true };
          hits.push(hit);
        }
        return { hits, more: false };
      },
    ),
    get_usage: handler(
      z.strictObject({ by: z.enum(["day", "model", "project"]).optional(), since: z.string().optional() }),
      async ({ by = "day", since }, { sessionsDir: directory }) => {
        const { sinceTime, spentIn } = await import("./usage.ts");
        const from = since === undefined ? 0 : sinceTime(since, Date.now());
        return spentIn({ directory, by, since: from, projectOf, signal: new AbortController().signal });
      },
    ),
  };
}

function projectOf(header: SessionHeader | undefined): string {
  const { root, cwd } = (header?.meta ?? {}) as SessionMeta;
  return String(root ?? cwd ?? "unknown");
}

function handler<O extends Operation>(
  params: z.ZodType<Operations[O]["params"]>,
  run: OperationHandler<O>["run"],
): OperationHandler<O> {
  return { params, run };
}
