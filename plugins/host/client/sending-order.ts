import type { QueuedMessage } from "../contract.ts";

/** The queued messages in the order in which they are sent: those for the running turn go before those for the next one. */
export function inSendingOrder<M extends Pick<QueuedMessage, "mode">>(queue: readonly M[]): M[] {
  const isForTurn = ({ mode }: M) => mode === "steer";
  return [...queue.filter(isForTurn), ...queue.filter((item) => !isForTurn(item))];
}
