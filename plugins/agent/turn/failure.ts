import { type AssistantMessage, isContextOverflow } from "@mariozechner/pi-ai";
import type { ScorelError } from "@scorel/kernel";
import type { RequestFailure } from "@scorel/model/contract";
import { networkCodes, patterns, withoutTools } from "./failure-patterns.ts";

/** Why a reply failed and whether to repeat the request. */
export interface Failure {
  error: ScorelError;
  /** A short reason without advice. */
  reason: string;
  retryable: boolean;
  /** True when the conversation is too long for the model. */
  overflow?: boolean;
  /** Milliseconds that the server asks to wait. */
  retryAfterMs?: number;
}
export interface Verdict {
  kind: "retryable" | "overflow" | "no_tools" | "final";
  retryAfterMs?: number;
}

/** Classifies a provider's error by its HTTP status or network code, else by its text. */
export function judge(message: AssistantMessage, failure: RequestFailure = {}): Verdict {
  const text = message.errorMessage ?? "";
  const retryAfterMs = failure.retryAfterMs ?? retryAfterIn(text);
  const kind = kindOf(text, { ...failure, retryAfterMs }, () => overflows(message));
  return { kind, ...(kind === "retryable" && retryAfterMs !== undefined && { retryAfterMs }) };
}

interface Answered extends Pick<RequestFailure, "status" | "unreached"> {
  retryAfterMs: number | undefined;
}

function kindOf(text: string, { status, unreached, retryAfterMs }: Answered, overflow: () => boolean): Verdict["kind"] {
  if (unreached !== undefined) return mayPass(unreached) ? "retryable" : "final";
  const code = status ?? statusIn(text);
  const words = patterns.find(({ pattern }) => pattern.test(text))?.kind;
  // Some providers mention quota and billing also when a limit per minute is reached, but then say how long to wait.
  if (words === "hopeless" && retryAfterMs === undefined) return "final";
  if (code === 429 || (words === "busy" && (code === undefined || code >= 500))) return "retryable";
  if (withoutTools.test(text)) return "no_tools";
  if (overflow()) return "overflow";
  if (code !== undefined) return code >= 500 ? "retryable" : "final";
  return words === undefined ? "final" : "retryable";
}

/**
 * Whether a later attempt to reach the server may succeed. In a reason such as `the proxy host:3128: ECONNREFUSED`, only the code at the end
 * counts.
 */
function mayPass(reason: string): boolean {
  const [, end = reason] = /^the proxy \S+ (?:answered )?(\S+)$/.exec(reason) ?? [];
  return networkCodes.has(end) || /^5\d\d$/.test(end);
}

/** Whether the conversation was too long. Excludes 4xx responses without a body, which pi-ai mistakes for an overflow. */
function overflows(message: AssistantMessage): boolean {
  return !/\(no body\)/.test(message.errorMessage ?? "") && isContextOverflow({ ...message, stopReason: "error" });
}

/** Finds the HTTP status in an error text: at its start, or in the JSON body that follows. */
function statusIn(text: string): number | undefined {
  const found = /^([345]\d\d)\b/.exec(text) ?? /"(?:code|status)":\s*([345]\d\d)\b/.exec(text);
  return found ? Number(found[1]) : undefined;
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** A number with a unit of time, such as "1.5s" or "20 minutes". */
const span = /(\d+(?:\.\d+)?)\s*(ms|milliseconds?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?|h(?:ours?)?)(?![a-z])/i;
const askedDelay = new RegExp(
  `(?:try again in|retry (?:in|after)|retry[_-]?(?:delay|after)["']?:?\\s*["']?)\\s*((?:${span.source}\\s*)+)`,
  "i",
);

/** Reads the delay from texts such as "Please try again in 6m1.5s" or `"retryDelay": "34s"`, in milliseconds. */
function retryAfterIn(text: string): number | undefined {
  const spans = askedDelay.exec(text)?.[1]?.matchAll(new RegExp(span, "gi"));
  if (!spans) return undefined;
  return Math.round([...spans].reduce((sum, [, count, unit = ""]) => sum + Number(count) * unitMs[unitOf(unit)], 0));
}

function unitOf(word: string): keyof typeof unitMs {
  const unit = word.toLowerCase();
  return unit.startsWith("ms") || unit.startsWith("mil") ? "ms" : (unit[0] as "s" | "m" | "h");
}
