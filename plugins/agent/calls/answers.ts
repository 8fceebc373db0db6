import { codeOf, messageOf } from "@scorel/kernel";
import { nearest } from "@scorel/kit/values/nearest";
import type { ToolCallObjection, ToolCallVerdict } from "../contract.ts";
import { errors } from "../errors.ts";

/**
 * Validators for what hook layers return. The kernel skips a layer with an invalid return value and reports its plugin.
 */
export const answers = {
  messages: (hook: string) => (answer: unknown) => {
    if (!Array.isArray(answer)) throw errors.AGENT_HOOK_ANSWER({ hook, wanted: "a list of messages" });
    const at = answer.findIndex((message) => !isMessage(message));
    if (at >= 0)
      throw errors.AGENT_HOOK_ANSWER({ hook, wanted: `a list of messages, but item ${at} has no role or no content` });
  },
  text: (hook: string) => (answer: unknown) => {
    if (typeof answer !== "string") throw errors.AGENT_HOOK_ANSWER({ hook, wanted: "a text" });
  },
  decision: (hook: string) => (answer: unknown) => {
    const wanted =
      "{ block: boolean, reason?: string } or { ask: string, details?: string, reason?: string, allowedBy?: string }";
    assertVerdict(hook, answer, { wanted, fields: ["block", "reason", "ask", "details", "allowedBy"] });
    const { ask, block, details, allowedBy } = answer;
    const belongsToAsk = (text: unknown) => isText(text) && (text === undefined || ask !== undefined);
    if (!belongsToAsk(details) || !belongsToAsk(allowedBy)) throw errors.AGENT_HOOK_ANSWER({ hook, wanted });
    const isReason = typeof ask === "string" && ask.trim() !== "" && block === undefined;
    if (ask !== undefined && !isReason) throw errors.AGENT_HOOK_ANSWER({ hook, wanted });
  },
  revision: (hook: string) => (answer: unknown) => {
    const wanted = "{ args: object } or { block: boolean, reason?: string }";
    assertVerdict(hook, answer, { wanted, fields: ["args", "block", "reason"] });
    if (answer.args !== undefined && !isObject(answer.args)) throw errors.AGENT_HOOK_ANSWER({ hook, wanted });
  },
  change: (hook: string) => (answer: unknown) => {
    const wanted = "parts of a result: content, details, isError, terminate";
    assertFields(hook, answer, { wanted, fields: ["content", "details", "isError", "terminate"] });
    const isChange =
      (answer.content === undefined || typeof answer.content === "string" || isContent(answer.content)) &&
      isBoolean(answer.isError) &&
      isBoolean(answer.terminate);
    if (!isChange) throw errors.AGENT_HOOK_ANSWER({ hook, wanted });
  },
};

/** Returns why a layer or guard blocked a call. */
export function reasonOf({ reason }: ToolCallVerdict): string {
  return reason ?? "The call was refused.";
}

/** The reason for refusing a call that needs a person's approval when no plugin is loaded that can ask. */
export function unapproved([first]: readonly ToolCallObjection[]): string {
  return first?.reason ?? `Denied: ${first?.ask}, and no loaded plugin can ask the user.`;
}

/** Returns the reason for a refusal, from the abort or from the guard that failed. */
export function refusalFor(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `Not run. ${messageOf(signal.reason)}`;
  return codeOf(thrown) === "HOOK_CRITICAL" ? messageOf(thrown) : `A guard failed: ${messageOf(thrown)}`;
}

export interface Wanted {
  wanted: string;
  fields: readonly string[];
}

function assertVerdict(hook: string, answer: unknown, wanted: Wanted): asserts answer is Record<string, unknown> {
  assertFields(hook, answer, wanted);
  const isKnown = isPlain(answer) || "block" in answer || "ask" in answer;
  // A reason without `block` or `ask` is ambiguous. Rejecting it keeps a guard's typo from letting the call pass.
  const isAmbiguous = answer.block === undefined && answer.ask === undefined && answer.reason !== undefined;
  if (!isBoolean(answer.block) || !isText(answer.reason) || !isKnown || isAmbiguous)
    throw errors.AGENT_HOOK_ANSWER({ hook, wanted: wanted.wanted });
}

/** Rejects unknown fields, because a misspelt field would otherwise be ignored silently. */
export function assertFields(
  hook: string,
  answer: unknown,
  { wanted, fields }: Wanted,
): asserts answer is Record<string, unknown> {
  if (!isObject(answer)) throw errors.AGENT_HOOK_ANSWER({ hook, wanted });
  const unknown = Object.keys(answer).find((key) => !fields.includes(key));
  if (unknown === undefined) return;
  const meant = nearest(unknown, fields);
  throw errors.AGENT_HOOK_ANSWER({ hook, wanted, unknown, ...(meant !== undefined && { meant }) });
}

function isMessage(value: unknown): boolean {
  return (
    isObject(value) && typeof value.role === "string" && (typeof value.content === "string" || isContent(value.content))
  );
}

/** Checks the form that all readers of content rely on. Blocks of unknown types pass. */
function isContent(value: unknown): boolean {
  return Array.isArray(value) && value.every((block) => isObject(block) && typeof block.type === "string");
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
/** Whether a value is a plain object. A generator, a Map or a date that a guard returns by mistake contains no decision. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
function isBoolean(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}
function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
