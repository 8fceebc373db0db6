import type { Answer, HostMessage } from "./wire.ts";

/** Maximum length of an error's message, in characters. */
const MAX_TEXT = 10_000;

/**
 * Whether a message has the form that the client relies on. Its sender may be another program that claims to be the host. Payloads of
 * events are not checked: code that uses them must not trust them. `isUsableResult` checks the results. Messages of unknown types are from
 * a later version; they pass, and are ignored.
 */
function isUsable(message: HostMessage): boolean {
  const { type } = message;
  if (type === "response") return isNumber(message.requestId) && (!("error" in message) || isError(message.error));
  if (type === "events")
    return (
      isNumber(message.subscription) &&
      isList(message.events, isDelivered) &&
      isAnchor(message.anchor) &&
      (message.replay === undefined || message.replay === true)
    );
  if (type === "changes") return isNumber(message.subscription) && isList(message.changes, isChange);
  if (type === "proof") return isText(message.proof);
  if (type === "closing") return isError(message.error) && isNumber(message.retryAfter ?? 0);
  if (type !== "welcome") return true;
  const isLimit = message.maxMessage === undefined || isNumber(message.maxMessage);
  return isLimit && [message.version, message.instance, message.clientId, message.secret].every(isText);
}

/** Parses and checks a message; undefined if it is invalid. */
export function readMessage(text: string): HostMessage | undefined {
  try {
    const message = JSON.parse(text) as HostMessage;
    return typeof message?.type === "string" && isUsable(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a message answers a request or belongs to a subscription. */
export function isAnswer(message: HostMessage): message is Answer {
  return message.type === "response" || message.type === "events" || message.type === "changes";
}

/** Whether a value has the form of an event with its display. */
export function isDelivered(value: unknown): boolean {
  const { event, display } = (value ?? {}) as { event?: Record<string, unknown>; display?: Record<string, unknown> };
  if (!isText(event?.type) || !isText(display?.display)) return false;
  if (event.type === "missed") return isNumber(event.from) && isNumber(event.to);
  if (!isNumber(event.seq)) return false;
  return event.id === undefined || (isText(event.id) && (event.parentId === null || isText(event.parentId)));
}

/** Whether a value has the form of an anchor. */
export function isAnchor(value: unknown): boolean {
  const anchor = (value ?? {}) as Record<string, unknown>;
  const isId = anchor.persistentId === null || isText(anchor.persistentId);
  return (
    [anchor.epoch, anchor.activation].every(isText) && [anchor.persistentSeq, anchor.streamSeq].every(isNumber) && isId
  );
}

function isChange(value: unknown): boolean {
  return isText((value as { change?: unknown } | null)?.change);
}

function isError(value: unknown): boolean {
  const { code, message, data } = (value ?? {}) as Record<string, unknown>;
  return (
    isText(code) && isText(message) && message.length <= MAX_TEXT && (data === undefined || typeof data === "object")
  );
}

export function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
