import type { BaseContext, Session } from "@scorel/kernel";
import { frozenCopy } from "@scorel/kit/values/copy";
import type { Allowance } from "./allowance.ts";

type Writer = Pick<Session, "append" | "appendAll">;

/**
 * The session for an extension: its events are counted, states of projections are returned as copies, and its holds are
 * released when it stops.
 */
export function containedSession({ session, onDispose }: BaseContext, allowance: Allowance): Session {
  const copies = new WeakMap<object, unknown>();
  const write = (written: number, payload: unknown) =>
    allowance.spend("session.append", { written }, () => sizeOf(payload));
  const counted = (writer: Writer): Writer => ({
    append: (type, payload, options) =>
      afterwards(
        () => write(1, payload),
        () => writer.append(type, payload, options),
      ),
    appendAll: (entries) =>
      afterwards(
        () => write(entries.length, entries),
        () => writer.appendAll(entries),
      ),
  });
  return {
    id: session.id,
    header: session.header,
    activation: session.activation,
    stopping: session.stopping,
    tree: session.tree,
    get epoch() {
      return session.epoch;
    },
    get seq() {
      return session.seq;
    },
    get activeLeaf() {
      return session.activeLeaf;
    },
    get held() {
      return session.held;
    },
    get joinsDeltas() {
      return session.joinsDeltas;
    },
    ...counted(session),
    emit(type, payload, options) {
      allowance.spend("session.emit", { told: 1 }, () => sizeOf(payload));
      return session.emit(type, payload, options);
    },
    buildContext: (leaf) => session.buildContext(leaf),
    projection(name) {
      const state: unknown = session.projection(name);
      if (typeof state !== "object" || state === null) return state as never;
      if (!copies.has(state)) copies.set(state, frozenCopy(state));
      return copies.get(state) as never;
    },
    asRead: (event) => session.asRead(event),
    display: (event) => session.display(event),
    asListened: (event) => session.asListened(event),
    hold() {
      const hold = session.hold();
      const release = onDispose(() => hold.release());
      return {
        ...counted(hold),
        open: (work) => hold.open(work),
        answer: (clientId) => hold.answer(clientId),
        release: async () => release(),
      };
    },
    synced: () => session.synced(),
  };
}

/** Runs `work` after `pay`. A refusal rejects without an unhandled rejection, as it was already reported. */
function afterwards<T>(pay: () => void, work: () => Promise<T>): Promise<T> {
  try {
    pay();
  } catch (thrown) {
    const refused = Promise.reject<T>(thrown);
    refused.catch(() => {});
    return refused;
  }
  return work();
}

/** The approximate size. A payload that is not valid JSON counts as 0, since writing it fails. */
function sizeOf(payload: unknown): number {
  try {
    return JSON.stringify(payload)?.length ?? 0;
  } catch {
    return 0;
  }
}
