import type { Api, AssistantMessage, Model } from "@mariozechner/pi-ai";
import { messageOf, type ScorelError } from "@scorel/kernel";
import { tokensOf } from "@scorel/kit/session/usage";
import { timeSpan } from "@scorel/kit/text/time-span";
import type { RequestFailure } from "@scorel/model/contract";
import { errors } from "../errors.ts";
import { assistantText } from "../messages/convert.ts";
import { type Failure, judge, type Verdict } from "../turn/failure.ts";
import { longestMs } from "../turn/retry.ts";

type AnyModel = Model<Api>;

/** Share of the context window from which on a request counts as truncated by the server. */
const fullWindow = 0.99;

/** Returns why a reply that claims to be finished is not, or undefined when it is. */
export function flawOfReply(model: AnyModel, message: AssistantMessage): Failure | undefined {
  const hasCalls = message.content.some((block) => block.type === "toolCall");
  const silent = !hasCalls && assistantText(message.content).trim() === "";
  if (message.stopReason === "length" && silent && isFull(model, message)) return fullFailure(model);
  if (message.stopReason === "length" && (hasCalls || silent)) return final(errors.AGENT_LENGTH(), "the output limit");
  // Adapters report "stop" when the body just ends; a real end has token counts or some text.
  return silent && tokensOf(message.usage) === 0 ? cutFailure(model) : undefined;
}

/** Whether the server truncated the conversation to fill the context window, which leaves no room for a reply. */
function isFull({ contextWindow }: AnyModel, { usage }: AssistantMessage): boolean {
  return tokensOf(usage) >= fullWindow * contextWindow;
}

function fullFailure(model: AnyModel): Failure {
  const reason = "no room is left for a reply";
  return { ...final(refusal(model, "overflow", reason), reason), overflow: true };
}

/**
 * Returns the failure in a provider's error event, and the message without it. This includes the reason "aborted" if Scorel's own signal
 * did not abort.
 */
export function providerFailure(model: AnyModel, message: AssistantMessage): [Failure, AssistantMessage] {
  const { failure, ...said } = message as AssistantMessage & { failure?: RequestFailure };
  const { kind, retryAfterMs } = judge(said, failure);
  const reason = said.errorMessage ?? "no reason given";
  const error = refusal(model, kind, reason, failure?.advice ?? adviceOnWait(retryAfterMs));
  // A retry that comes before the time that the server names would be refused, too.
  const retryable = kind === "retryable" && !isTooLong(retryAfterMs);
  const overflow = kind === "overflow";
  return [{ error, reason, retryable, overflow, ...(retryAfterMs !== undefined && { retryAfterMs }) }, said];
}

/** Whether the server asks for a longer wait than a retry makes. */
function isTooLong(retryAfterMs = 0): boolean {
  return retryAfterMs > longestMs;
}

function adviceOnWait(retryAfterMs = 0): string | undefined {
  if (!isTooLong(retryAfterMs)) return undefined;
  return `The server asks to wait ${timeSpan(retryAfterMs)} before the next request.`;
}

function refusal({ provider, id }: AnyModel, kind: Verdict["kind"], reason: string, advice?: string): ScorelError {
  if (kind === "overflow") return errors.AGENT_OVERFLOW({ model: `${provider}/${id}`, reason });
  if (kind === "no_tools") return errors.AGENT_NO_TOOLS({ model: `${provider}/${id}`, reason });
  return errors.AGENT_MODEL({ reason, advice });
}

/** The failure of a model that sent nothing for `idleMs` milliseconds. Can be retried. */
export function silentFailure({ provider }: AnyModel, idleMs: number): Failure {
  const seconds = idleMs / 1_000;
  return passing(errors.AGENT_STREAM_IDLE({ provider, seconds }), `silent for ${seconds} s`);
}

/** The failure of a reply whose connection was cut. Can be retried. */
export function cutFailure({ provider }: AnyModel): Failure {
  return passing(errors.AGENT_STREAM_CUT({ provider }), "the reply was cut");
}

/** The failure of a reply with more than `limit` characters. Not retried. */
export function longFailure({ provider }: AnyModel, limit: number): Failure {
  return final(errors.AGENT_REPLY_SIZE({ provider, limit }), "the reply is too long");
}

/** The failure of a call that threw. Not retried. */
export function thrownFailure(thrown: unknown): Failure {
  const reason = messageOf(thrown);
  return final(errors.AGENT_MODEL({ reason }, { cause: thrown }), reason);
}

const final = (error: ScorelError, reason: string): Failure => ({ error, reason, retryable: false });
const passing = (error: ScorelError, reason: string): Failure => ({ error, reason, retryable: true });

/** Arguments as the model wrote them, and why they cannot be parsed. */
export interface UnreadableArguments {
  text: string;
  reason: string;
}

/** Returns why the raw arguments are not a JSON object, with the raw text; undefined when they are one. */
export function flawOfArguments(raw: string | undefined, parsed: unknown): UnreadableArguments | undefined {
  const text = raw?.trim() ?? "";
  if (text === "") return isRecord(parsed) ? undefined : { text, reason: "they are not a JSON object" };
  try {
    return isRecord(JSON.parse(text)) ? undefined : { text, reason: "they are not a JSON object" };
  } catch (thrown) {
    return { text, reason: messageOf(thrown) };
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
