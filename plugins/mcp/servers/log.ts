import type { BaseContext } from "@scorel/kernel";
import { clause } from "@scorel/kit/text/one-line";
import { errors } from "../errors.ts";

/** Most messages of a server that are shown between two starts. */
const MOST_TOLD = 20;
const MOST_TEXT = 500;
const SERIOUS = new Set(["error", "critical", "alert", "emergency"]);

/** Shows people the errors that a server logs, up to MOST_TOLD. Other messages are ignored. */
export function serverLog(ctx: Pick<BaseContext, "report">, server: string, redact: (text: string) => string) {
  let told = 0;
  return (level: string, data: unknown): void => {
    if (!SERIOUS.has(level) || told === MOST_TOLD) return;
    told++;
    const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
    ctx.report("", errors.MCP_LOG({ server, text: redact(clause(text)).slice(0, MOST_TEXT) }));
  };
}
