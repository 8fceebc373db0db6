import { type AssistantMessage, isContextOverflow } from "@mariozechner/pi-ai";
import type { ScorelError } from "@scorel/kernel";
import type { RequestFailure } from "@scorel/model/contract";
import { networkCodes, patterns, withoutTools } from "./failure-patterns.ts";

/** Why a reply failed, and whether the same request may go better. */
export interface Failure {
  error: ScorelError;
  /** In a few words, without advice. */
  reason: string;
  retryable: boolean;
  /** The conversation is too long for the model. */
  overflow?: boolean;
  /** Milliseconds the server asks to wait. */
  retryAfterMs?: number;
}
export interface Verdict {
  kind: "retryable" | "overflow" | "no_tools" | "final";
  retryAfterMs?: number;
}

/** What to make of a provider's error: by what the server answered, else by the words. */
export function judge(message: AssistantMessage, failure: RequestFailure = {}): Verdict {
  const text = message.errorMessage ?? "";
  const kind = kindOf(text, failure, () => overflows(message));
  const retryAfterMs = failure.retryAfterMs ?? retryAfterIn(text);
  return { kind, ...(kind === "retryable" && retryAfterMs !== undefined && { retryAfterMs }) };
}

function kindOf(text: string, { status, unreached }: RequestFailure, overflow: () => boolean): Verdict["kind"] {
  if (unreached !== undefined) return networkCodes.has(unreached) ? "retryable" : "final";
  const code = status ?? statusIn(text);
  const words = patterns.find(({ pattern }) => pattern.test(text))?.kind;
  if (words === "hopeless") return "final";
  if (code === 429 || (words === "busy" && (code === undefined || code >= 500))) return "retryable";
  if (withoutTools.test(text)) return "no_tools";
  if (overflow()) return "overflow";
  if (code !== undefined) return code >= 500 ? "retryable" : "final";
  return words === undefined ? "final" : "retryable";
}

/** A 4xx without a body says nothing; the library takes it for an overflow. */
function overflows(message: AssistantMessage): boolean {
  return !/\(no body\)/.test(message.errorMessage ?? "") && isContextOverflow({ ...message, stopReason: "error" });
}

/** Libraries write the status before the message, or leave the body's JSON as it is. */
function statusIn(text: string): number | undefined {
  const found = /^([345]\d\d)\b/.exec(text) ?? /"(?:code|status)":\s*([345]\d\d)\b/.exec(text);
  return found ? Number(found[1]) : undefined;
}

const unitMs = { ms: 1, s: 1_000, m: 60_000 } as const;

/** "Please try again in 1.5s", "retry after 20 seconds", `"retryDelay": "34s"`. */
function retryAfterIn(text: string): number | undefined {
  const found =
    /(?:try again in|retry (?:in|after)|retry[_-]?(?:delay|after)["']?:?\s*["']?)\s*(\d+(?:\.\d+)?)\s*(ms|milliseconds?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b/i.exec(
      text,
    );
  if (!found) return undefined;
  const unit = (found[2] as string).toLowerCase();
  const key = unit.startsWith("ms") || unit.startsWith("mil") ? "ms" : unit.startsWith("m") ? "m" : "s";
  return Math.round(Number(found[1]) * unitMs[key]);
}
