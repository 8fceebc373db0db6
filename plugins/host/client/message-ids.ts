import { newId } from "@scorel/kit/values/id";

/** Operations that always get a `messageId`. By it, a host recognises a repeated request and does not carry it out twice. */
const NAMED = new Set(["send_message", "run_shell"]);

/** Whether a request can safely be repeated when it is unknown whether it was carried out. */
export function isRepeatable(operation: string): boolean {
  return NAMED.has(operation);
}

/** Adds a `messageId` to the params of such an operation, so that it takes effect once, however often the request is repeated. */
export function withMessageId<P extends object>(operation: string, params: P): P {
  const { messageId } = params as { messageId?: string };
  return NAMED.has(operation) && messageId === undefined ? { ...params, messageId: newId() } : params;
}
