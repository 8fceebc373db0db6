import type { QueueItem } from "@scorel/agent/contract";
import { codeOf } from "@scorel/kernel";
import { eventIdFor } from "@scorel/kit/session/change-info";
import type { Operations } from "../contract.ts";
import { queueOf } from "../sessions/queued.ts";
import { agentOf, type Caller, openFor, rememberTurn } from "./caller.ts";

type Rewrite = Operations["rewrite_queue"];

/**
 * Edits, converts, reorders and removes queued messages in one step. A client that may not answer questions can change only its own
 * messages.
 */
export async function rewriteQueue(
  { items, expectedSeq, messageId, ...params }: Rewrite["params"],
  caller: Caller,
): Promise<Rewrite["result"]> {
  const open = await openFor(params, caller);
  const { session } = open.kernel;
  const id = eventIdFor("rewrite_queue", messageId);
  const result = { items: items.map((item) => ({ id: item.id })) };
  if (id !== undefined && session.tree.get(id)) return result;
  const queue = session.projection("queue");
  const changes = items.map(({ content, ...change }) => {
    // If a message no longer waits, `agent.rewriteQueue` throws an error that tells what happened to it.
    const waiting = queue.find((item) => item.id === change.id);
    return { ...change, ...(waiting && content !== undefined && { message: { ...waiting.message, content } }) };
  });
  const { clientId, access } = caller;
  await agentOf(open).rewriteQueue(changes, {
    clientId,
    guard: (waiting) => {
      if (!keepsOthers(waiting, items, clientId))
        access.assertOperations(["answer_request"], "changing waiting messages of other clients", () => false);
    },
    ...(expectedSeq !== undefined && { expectedSeq }),
    ...(id !== undefined && { id }),
  });
  return result;
}

/** Whether the messages of other clients stay unchanged and keep their relative order. */
function keepsOthers(queue: readonly QueueItem[], items: Rewrite["params"]["items"], clientId: string): boolean {
  const others = queue.filter((item) => item.clientId !== clientId);
  const ids = new Set(others.map(({ id }) => id));
  const kept = items.filter(({ id }) => ids.has(id));
  return (
    kept.length === others.length &&
    others.every(({ id, mode }, index) => {
      const { content, ...item } = kept[index] as (typeof kept)[number];
      return item.id === id && content === undefined && (item.mode ?? mode) === mode;
    })
  );
}

/** The client id of the host itself. All other ids have a random part. The host cancels turns only when it stops. */
const HOST_ITSELF = "host";

/**
 * Cancels the running turn. If other clients that have the session open have queued messages behind it, the queue is then sent. If the
 * host cancels the turn because it stops, they wait in the queue for the next host.
 */
export async function cancelTurn(
  params: Operations["cancel"]["params"],
  caller: Caller,
): Promise<Operations["cancel"]["result"]> {
  const open = await openFor(params, caller);
  const { clientId } = caller;
  if (clientId === HOST_ITSELF) return { cancelled: await agentOf(open).cancel({ hostStops: true }) };
  const cancelled = await agentOf(open).cancel({ clientId });
  const others = new Set([...open.users].flatMap((user) => (user.clientId === clientId ? [] : user.clientId)));
  if (cancelled && queueOf(open).items.some((item) => others.has(item.clientId)))
    try {
      await runQueue(params, caller);
    } catch (thrown) {
      // Another turn has just begun, which delivers the queued messages.
      if (codeOf(thrown) !== "AGENT_BUSY") throw thrown;
    }
  return { cancelled };
}

/** Starts a turn with the queued messages, unless one is running. */
export async function runQueue(
  params: Operations["run_queue"]["params"],
  caller: Caller,
): Promise<Operations["run_queue"]["result"]> {
  const open = await openFor(params, caller);
  const agent = agentOf(open);
  if (agent.running) return { status: "running" };
  // Fails now, before anything is delivered, when no model or tool is usable.
  await open.kernel.find("model")?.ready?.();
  open.kernel.find("model")?.current();
  open.kernel.find("tools")?.list();
  const sent = await agent.runQueue();
  if (!sent) return { status: "empty" };
  rememberTurn(open, sent.id, sent.turn);
  return { status: "started", id: sent.id };
}
