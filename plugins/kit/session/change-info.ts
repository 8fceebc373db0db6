import { isDeepStrictEqual } from "node:util";
import { sha256Of } from "../files/hash.ts";
import { assertSameRequest } from "./message-id.ts";

/** The settings that an event `session_info` can change. */
interface Changes {
  name?: string;
  model?: string;
  chosenModel?: string;
  thinkingLevel?: string;
  archived?: boolean;
}

/** The parts of a session that are used here. */
interface ChangeableSession<M> {
  readonly header: { meta: object };
  readonly tree: { get(id: string): object | undefined };
  projection(name: "sessionMeta"): M;
  append(
    type: "session_info",
    data: { changes: Changes },
    options: { clientId: string; id?: string },
  ): Promise<{ id: string }>;
}

/** Who asked for a change. A repeated `messageId` returns the first result. */
interface Asked {
  operation: string;
  clientId: string;
  messageId?: string | undefined;
}

/** Result of a change of a session's settings, with a line for display such as "Model: test/m". */
export interface InfoChanged<M> {
  eventId: string;
  meta: M;
  text: string;
}

/** Returns the result of an earlier request with the same `messageId`, if there was one. */
export function earlierChange<M>(session: ChangeableSession<M>, asked: Asked): InfoChanged<M> | undefined {
  const id = eventIdFor(asked.operation, asked.messageId);
  const event = id === undefined ? undefined : session.tree.get(id);
  return event && answer(session, id as string, (event as unknown as { changes: Changes }).changes);
}

/**
 * Stores a change of a session's settings, unless the same request has already stored it. Throws MESSAGE_ID_REUSED if the `messageId` was
 * used for another change. With `isChanged`, the stored change may differ from the requested one, so the two are not compared.
 */
export async function changeInfo<M>(
  session: ChangeableSession<M>,
  changes: Changes,
  asked: Asked,
  isChanged = false,
): Promise<InfoChanged<M>> {
  const done = earlierChange(session, asked);
  if (done) {
    const event = session.tree.get(done.eventId) as unknown as { changes: Changes };
    assertSameRequest(isChanged || isDeepStrictEqual(event.changes, changes), asked as Required<Asked>);
    return done;
  }
  const id = eventIdFor(asked.operation, asked.messageId);
  const options = { clientId: asked.clientId, ...(id !== undefined && { id }) };
  const written = await session.append("session_info", { changes }, options);
  return answer(session, written.id, changes);
}

function answer<M>(session: ChangeableSession<M>, eventId: string, changes: Changes): InfoChanged<M> {
  const { name, model, thinkingLevel, archived } = changes;
  const isArchived = archived === undefined ? undefined : archived ? "yes" : "no";
  const shown = Object.entries({ Name: name, Model: model, Thinking: thinkingLevel, Archived: isArchived }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    eventId,
    meta: { ...session.header.meta, ...session.projection("sessionMeta") },
    text: shown.map(([label, value]) => `${label}: ${value}`).join(", "),
  };
}

/** Derives the event id of a request from its `messageId`, so that a retry finds the first result. */
export function eventIdFor(operation: string, messageId: string | undefined): string | undefined {
  if (messageId === undefined) return undefined;
  const hash = sha256Of(`${operation} ${messageId}`);
  return BigInt(`0x${hash}`).toString(36).slice(0, 16);
}
