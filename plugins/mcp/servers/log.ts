import type { BaseContext } from "@scorel/kernel";
import { clause } from "@scorel/kit/text/one-line";
import { errors } from "../errors.ts";

/** Messages that people are told of a server from one start to the next. */
const MOST_TOLD = 20;
const MOST_TEXT = 500;
const SERIOUS = new Set(["error", "critical", "alert", "emergency"]);

/** Tells people what a server logs as an error, a few times. Other messages are passed over. */
export function serverLog(ctx: Pick<BaseContext, "report">, server: string, redact: (text: string) => string) {
  let told = 0;
  return (level: string, data: unknown): void => {
    if (!SERIOUS.has(level) || told === MOST_TOLD) return;
    told++;
    const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
    ctx.report("", errors.MCP_LOG({ server, text: redact(clause(text).slice(0, MOST_TEXT)) }));
  };
}
