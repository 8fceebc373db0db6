import { errors } from "../errors.ts";
import type { Context } from "../events/context.ts";
import type { Registry } from "../events/registry.ts";
import { parsePayload } from "../events/validate.ts";
import type { AppendOptions, LogView } from "../session.ts";
import type { Tree } from "../tree/tree.ts";
import type { ConvertContext, EventDefinition, EventId, StoredEvent } from "../types.ts";

const NO_ID = "(new)";
const NO_LEAF = "(leaf)";
const NO_IDS: ReadonlySet<EventId> = new Set();

/** An entry to append, of any event type. Plugins use the typed `AppendEntry`. */
export type AnyEntry = { type: string; payload: unknown } & AppendOptions;

/** A validated event that is about to be written. It has no seq yet. */
export interface Draft {
  event: StoredEvent;
  /** Whether to announce the event and resolve its append only once it is synced to disk. */
  durable: boolean;
  leaf: EventId | null;
}

interface DraftsOptions {
  registry: Registry;
  tree: Tree;
  context: Context;
  lookup: ConvertContext;
  /** The view that the `check` of an append receives. */
  view: LogView;
  sessionId: string;
  /** The client id for events that name no client. */
  clientId(): string;
  now(): number;
  newId(): string;
}

/** Validates entries against the log and the earlier entries of the same batch, without changing the log. */
export class Drafts {
  private readonly options: DraftsOptions;

  constructor(options: DraftsOptions) {
    this.options = options;
  }

  all(entries: readonly AnyEntry[]): Draft[] {
    const { activeLeaf } = this.options.tree;
    const [only] = entries;
    if (only && entries.length === 1) return [this.draft(only, activeLeaf, NO_IDS)];
    const drafts: Draft[] = [];
    const ids = new Set<EventId>();
    let leaf = activeLeaf;
    for (const entry of entries) {
      const draft = this.draft(entry, leaf, ids);
      leaf = draft.leaf;
      ids.add(draft.event.id);
      drafts.push(draft);
    }
    return drafts;
  }

  /**
   * Whether an entry would be a path event, a side event or a jump. A placeholder leaf tells side events from jumps to the leaf. Throws
   * EVENT_INVALID, also for an entry that has to wait: when it is written, its caller has gone on.
   */
  movesTo(entry: AnyEntry): "path" | "side" | "jump" {
    const { leaf, schema } = this.options.registry.persistent(entry.type);
    const payload = parsePayload(entry.type, schema, entry.payload);
    if (!leaf) return "path";
    const provisional = { ...payload, type: entry.type, id: entry.id ?? NO_ID };
    const after = leaf(provisional, NO_LEAF);
    return after === provisional.id ? "path" : after === NO_LEAF ? "side" : "jump";
  }

  private draft(entry: AnyEntry, leaf: EventId | null, batch: ReadonlySet<EventId>): Draft {
    const { registry, tree, view } = this.options;
    const definition = registry.persistent(entry.type);
    const payload = parsePayload(entry.type, definition.schema, entry.payload);
    registry.refuseReserved(registry.owner(entry.type) ?? "", entry.type, definition, payload);
    const event = Object.assign(this.envelope(entry, leaf, batch), payload);
    entry.check?.(view);
    const after = registry.leafAfter(event, leaf);
    if (after !== null && after !== event.id && after !== leaf && !tree.isPath(after))
      throw errors.LOG_INVALID_LEAF({ type: entry.type, leaf: after });
    this.checkBarrier(definition, event);
    return { event, durable: isDurable(definition, event), leaf: after };
  }

  private envelope(entry: AnyEntry, leaf: EventId | null, batch: ReadonlySet<EventId>): StoredEvent {
    const { tree, sessionId, now, newId } = this.options;
    const { type, id = newId(), parentId = leaf, clientId = this.options.clientId() } = entry;
    const has = (known: EventId) => tree.has(known) || batch.has(known);
    if (has(id)) throw errors.LOG_DUPLICATE_ID({ id });
    if (parentId !== null && !has(parentId)) throw errors.LOG_UNKNOWN_PARENT({ type, parentId });
    return { type, id, parentId, seq: 0, sessionId, clientId, ts: now() };
  }

  private checkBarrier(definition: EventDefinition, event: StoredEvent): void {
    if (!definition.barrier) return;
    const { context, lookup } = this.options;
    const action = definition.convertToLlm?.(event, lookup);
    if (action?.action !== "barrier" || action.after === undefined) return;
    if (!context.mayKeep(event.parentId, action.after))
      throw errors.LOG_INVALID_BARRIER({ type: event.type, after: action.after });
  }
}

function isDurable(definition: EventDefinition, event: StoredEvent): boolean {
  return typeof definition.durable === "function" ? definition.durable(event) : (definition.durable ?? false);
}
