import { newId } from "@scorel/kit/values/id";

/** Operations that always get a `messageId`: a host recognizes a repeated request by it and does nothing twice. */
const NAMED = new Set(["send_message", "run_shell"]);

/** Whether a request can be sent again that was perhaps carried out. */
export function isRepeatable(operation: string): boolean {
  return NAMED.has(operation);
}

/** A message is sent once, and a command runs once, however often its request has to be repeated. */
export function withMessageId<P extends object>(operation: string, params: P): P {
  const { messageId } = params as { messageId?: string };
  return NAMED.has(operation) && messageId === undefined ? { ...params, messageId: newId() } : params;
}
