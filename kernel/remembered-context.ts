import { freeze } from "@scorel/kit/values/freeze";
import { buildContext, fold, type Reading } from "./context.ts";
import type { TreeView } from "./tree-view.ts";
import type { EventId, LlmAction, Message, StoredEvent } from "./types.ts";

/** One event of the cached path with its converted form. */
interface Step {
  id: EventId;
  action: LlmAction;
  /** Set if the event has to be converted again for every context. */
  event?: StoredEvent;
}

/** Functions that convert events to messages, with the information that caching needs. */
export interface RepeatedReading extends Reading {
  /** Whether the event has to be converted again for every context. */
  convertsAnew(event: StoredEvent): boolean;
  /** Changes when an event type is added or removed. */
  readonly version: number;
}

/** Maximum cached path, in events. Longer paths are read from the log for every context to save memory. */
const MAX_STEPS = 100_000;

/**
 * Returns the same messages as `buildContext`, but caches the last path: while a conversation continues, only new events are
 * read and converted.
 */
export class RememberedContext {
  private readonly tree: TreeView;
  /** The path to the last leaf, in order, from the root or from the first event that the last barrier keeps. */
  private steps: Step[] = [];
  /** The index in `steps` of each event. */
  private indexes = new Map<EventId, number>();
  /** The messages of the first `folded` steps. */
  private messages: Message[] = [];
  private folded = 0;
  private last: RepeatedReading | undefined;

  constructor(tree: TreeView) {
    this.tree = tree;
  }

  build(leaf: EventId | null, reading: RepeatedReading): Message[] {
    if (leaf === null) return [];
    if (this.last?.version !== reading.version || this.last.merge !== reading.merge) this.reset([]);
    this.last = reading;
    try {
      if (this.follow(leaf, reading)) return this.fold(reading);
      this.reset([]);
      return buildContext(this.tree, leaf, reading);
    } catch (thrown) {
      this.reset([]);
      throw thrown;
    }
  }

  private reset(steps: Step[]): void {
    this.steps = steps;
    this.indexes = new Map(steps.map(({ id }, index) => [id, index]));
    this.messages = [];
    this.folded = 0;
  }

  /** Updates `steps` to the path to `leaf`. Returns false if that path cannot be cached. */
  private follow(leaf: EventId, reading: RepeatedReading): boolean {
    const added: Step[] = [];
    let barrier: Extract<LlmAction, { action: "barrier" }> | undefined;
    for (const event of this.tree.ancestors(leaf)) {
      if (barrier && event.id === barrier.after) break;
      const index = barrier ? undefined : this.indexes.get(event.id);
      if (index !== undefined) {
        if (index === this.steps.length - 1 || lastBarrier(this.steps) <= index)
          return this.replaceAfter(index, added.reverse());
        // The leaf moved to before a barrier. The events that the barrier replaced are needed again, and are not in `steps`.
        this.reset([]);
      }
      const action = reading.toLlm(event);
      const again = reading.convertsAnew(event);
      if (again && action.action === "barrier") return false;
      added.push({ id: event.id, action, ...(again && { event }) });
      if (added.length > MAX_STEPS) return false;
      if (action.action !== "barrier" || barrier) continue;
      barrier = action;
      if (action.after === undefined) break;
    }
    this.reset(added.reverse());
    return true;
  }

  /** Replaces the steps after `index`. */
  private replaceAfter(index: number, added: readonly Step[]): boolean {
    if (index < this.steps.length - 1) this.reset(this.steps.slice(0, index + 1));
    for (const step of added) {
      this.indexes.set(step.id, this.steps.length);
      this.steps.push(step);
    }
    return this.steps.length <= MAX_STEPS;
  }

  private fold(reading: RepeatedReading): Message[] {
    if (this.steps.some(({ event }) => event)) {
      this.messages = [];
      this.folded = 0;
    }
    const { steps } = this;
    const barrier = this.folded === 0 ? steps[lastBarrier(steps)]?.action : undefined;
    if (barrier?.action === "barrier") this.messages.push(barrier.summary);
    const first = Math.max(0, this.messages.length - 1);
    for (; this.folded < steps.length; this.folded++) {
      const { action, event } = steps[this.folded] as Step;
      fold(this.messages, event ? reading.toLlm(event) : action, reading);
    }
    // Frozen, because every call returns the same message objects.
    for (let at = first; at < this.messages.length; at++)
      if (!Object.isFrozen(this.messages[at])) freeze(this.messages[at]);
    return [...this.messages];
  }
}

function lastBarrier(steps: readonly Step[]): number {
  return steps.findLastIndex(({ action }) => action.action === "barrier");
}
