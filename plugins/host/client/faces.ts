/** Client helpers to open a session and show its events. Must also run in browsers: no Node.js modules. */

import type { AnyEvent, Missed } from "@scorel/kernel";
import { isEvent } from "@scorel/kernel/is-event";
import { continued, visibleBreaks } from "@scorel/kit/text/one-line";
import { codeOf } from "@scorel/kit/values/coded-error";
import { failureText } from "@scorel/kit/values/failure-text";
import { newId } from "@scorel/kit/values/id";
import type { Notice, SessionOptions } from "@scorel/workspace/contract";
import type { Client, Operations, QueuedMessage, Rights, SessionStatus } from "../contract.ts";
import { everyPage } from "./every-page.ts";

/** The session that a client wants: a stored one, the latest of `cwd`, a copy, or by default a new one in `cwd`. */
export interface SessionChoice extends SessionOptions {
  cwd: string;
  /** The session's id, or the beginning of its id. */
  session?: string | undefined;
  latest?: boolean | undefined;
  /** A part of the session's id or of its title. */
  resume?: string | undefined;
  /** The id, or the beginning of the id, of a session to copy. `id@event` copies only up to that event. */
  fork?: string | undefined;
  /** Keeps a new or copied session in memory only. */
  unsaved?: boolean | undefined;
  /** Only reads a stored session, as for a client that may not open it for writing. */
  looksOn?: boolean | undefined;
}

/** The rights of a client that may do everything. */
export const ALL_RIGHTS: Rights = { write: true, answer: true };

/** Returns the client's rights. Returns all rights for an older host without `get_rights`, which may still refuse single requests. */
export async function rightsOf(client: Client): Promise<Rights> {
  try {
    return await client.request("get_rights", {});
  } catch (thrown) {
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    return ALL_RIGHTS;
  }
}

/** Opens the chosen session; rejects with the client's errors. */
export async function openSession(
  client: Client,
  { cwd, session, latest, resume, fork, unsaved = false, looksOn = false, ...options }: SessionChoice,
): Promise<SessionStatus> {
  const load = (sessionId: string) =>
    looksOn ? client.request("get_status", { sessionId }) : client.request("load_session", { sessionId, ...options });
  if (resume !== undefined) return load(await findSession(client, resume, cwd));
  if (fork !== undefined) return client.request("clone_session", { ...copied(fork), unsaved, ...options });
  if (session !== undefined) return load(session);
  if (latest) return client.request("continue_session", { cwd, ...options });
  return client.request("create_session", { cwd, unsaved, ...options });
}

/** Finds a stored session as `--resume` does: by its id, or by a part of its id or its title; see `find-session.ts`. Returns its id. */
export async function findSession(client: Pick<Client, "request">, wanted: string, cwd: string): Promise<string> {
  return (await import("./find-session.ts")).findSession(client, wanted, cwd);
}

/** Splits `session@event`. Ids never contain an @. */
function copied(fork: string): { sessionId: string; eventId?: string } {
  const [sessionId = "", eventId] = fork.split(/@(.*)/s);
  return { sessionId, ...(eventId !== undefined && { eventId }) };
}

/** Formats warnings about a session. Each is shown only once, whether it comes from an event or a notice. */
export class Warnings {
  private readonly told = new Set<string>();

  /** Returns the warning for a failure event; undefined for other events and repeated ones. */
  heard(event: AnyEvent | Missed): string | undefined {
    if (!isEvent(event, "plugin_failure")) return undefined;
    const text = failureText(event);
    return this.isNew(text) ? `warning: ${continued(text)}` : undefined;
  }

  /** Returns the warnings for notices that were not shown before. */
  untold(notices: readonly Notice[]): string[] {
    const fresh = notices.filter(({ message }) => this.isNew(message));
    return fresh.map(
      ({ origin, message }) =>
        `warning: ${continued(message)}${message.includes(origin) ? "" : ` (${visibleBreaks(origin)})`}`,
    );
  }

  private isNew(text: string): boolean {
    const { size } = this.told;
    return this.told.add(text).size > size;
  }
}

const SHOWN_PROBLEMS = 10;

/** Returns warnings for damage in a session's log: the first ones, and how to see the rest. */
export function damageIn({ sessionId, problems }: Pick<SessionStatus, "sessionId" | "problems">): string[] {
  const shown = problems
    .slice(0, SHOWN_PROBLEMS)
    .map(
      ({ line, offset, reason }) =>
        `warning: the session's log, line ${line}, offset ${offset}: ${visibleBreaks(reason)}`,
    );
  const rest = problems.length - shown.length;
  const more = `warning: the session's log has ${rest} more such places; \`scorel session verify ${sessionId}\` shows all`;
  return rest > 0 ? [...shown, more] : shown;
}

/** The messages of a queue, in the form that `rewrite_queue` expects. */
export type QueueWanted = Operations["rewrite_queue"]["params"]["items"];

/**
 * Changes a session's queue even if other clients change it at the same time: `make` receives the current queue, and is called again if
 * the queue has changed in between. The change is made only once, even if the connection is lost. Returns false, and changes nothing, if
 * `make` returns undefined.
 */
export async function changeQueue(
  client: Pick<Client, "request">,
  sessionId: string,
  make: (items: QueueWanted, queue: readonly QueuedMessage[]) => QueueWanted | undefined,
): Promise<boolean> {
  for (;;) {
    const { items, seq: expectedSeq } = await everyPage((page) => client.request("get_queue", { sessionId, ...page }));
    const wanted = make(
      items.map(({ id }) => ({ id })),
      items,
    );
    if (!wanted) return false;
    try {
      await client.request("rewrite_queue", { sessionId, items: wanted, expectedSeq, messageId: newId() });
      return true;
    } catch (thrown) {
      // The queue has changed since it was read.
      if (!CHANGED.includes((thrown as { code?: string }).code ?? "")) throw thrown;
    }
  }
}

const CHANGED = ["AGENT_QUEUE_CONFLICT", "AGENT_QUEUE_UNKNOWN"];

/** Removes messages from a session's queue even if other clients change it at the same time. Returns the ones that were still waiting. */
export async function takeBackQueued(
  client: Pick<Client, "request">,
  sessionId: string,
  isWanted: (item: QueuedMessage) => boolean,
): Promise<QueuedMessage[]> {
  let taken: QueuedMessage[] = [];
  await changeQueue(client, sessionId, (items, queue) => {
    taken = queue.filter(isWanted);
    return taken.length === 0 ? undefined : items.filter(({ id }) => !taken.some((item) => item.id === id));
  });
  return taken;
}
