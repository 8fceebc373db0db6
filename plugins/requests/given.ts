import { assertSameRequest } from "@scorel/kit/session/message-id";
import type { OpenRequest, RequestOption } from "./contract.ts";
import { errors } from "./errors.ts";

/** An answer from a client. */
export interface Given {
  requestId: string;
  answer: string | null;
  reason?: string | undefined;
  messageId?: string | undefined;
  clientId: string;
}
export interface Outcome {
  eventId: string;
  message?: string;
}

/** The outcome of the first answer with this `messageId`. Throws MESSAGE_ID_REUSED if that was another answer. */
export async function repeated(
  first: { given: Given; outcome: Promise<Outcome> },
  { messageId, ...again }: Given,
): Promise<Outcome> {
  const { requestId, answer, reason } = first.given;
  const isSame = requestId === again.requestId && answer === again.answer && reason === again.reason;
  assertSameRequest(isSame, { operation: "answer_request", messageId });
  return first.outcome;
}

/** The option that an answer names. Throws REQUEST_ANSWER if it is not offered. */
export function optionOf({ kind, options = [] }: OpenRequest, answer: string | null): RequestOption | undefined {
  if (answer === null || kind === "input") return undefined;
  const offered = kind === "confirm" ? ["y", "n"] : options.map(({ value }) => value);
  if (!offered.includes(answer)) throw errors.REQUEST_ANSWER({ answer, offered: offered.join(", ") });
  return options.find(({ value }) => value === answer);
}
