import { freeze } from "@scorel/kit/values/freeze";
import { buildContext, type Converters, fold } from "./context.ts";
import type { Tree } from "./tree.ts";
import type { EventId, LlmAction, Message, StoredEvent } from "./types.ts";

/** One event of the remembered path, and what a model reads of it. */
interface Step {
  id: EventId;
  action: LlmAction;
  /** The event, when its type has to be asked again for every context. */
  event?: StoredEvent;
}

export interface Reading extends Converters {
  /** The event's type may answer differently next time. */
  convertsAnew(event: StoredEvent): boolean;
  /** Changes when a type gains or loses its plugin. */
  readonly version: number;
}

/** A path of more events is read from the log for every context rather than kept in memory. */
const MOST_STEPS = 100_000;

/**
 * The context at a leaf, from what the last one was made of: of a conversation that goes on, only the events since are
 * read and converted. Gives what `buildContext` gives.
 */
export class RememberedContext {
  private readonly tree: Tree;
  /** The path from the event after `start` (null: the root) to the last leaf, in order. */
  private steps: Step[] = [];
  private start: EventId | null = null;
  private places = new Map<EventId, number>();
  /** The messages of the first `folded` steps. */
  private messages: Message[] = [];
  private folded = 0;
  private known: Pick<Reading, "merge" | "version"> | undefined;

  constructor(tree: Tree) {
    this.tree = tree;
  }

  build(leaf: EventId | null, reading: Reading): Message[] {
    if (leaf === null) return [];
    if (this.known?.version !== reading.version || this.known.merge !== reading.merge) this.forget();
    this.known = reading;
    try {
      if (!this.follow(leaf, reading)) return this.unremembered(leaf, reading);
      return this.fold(reading);
    } catch (thrown) {
      this.forget();
      throw thrown;
    }
  }

  private unremembered(leaf: EventId, reading: Reading): Message[] {
    this.forget();
    return buildContext(this.tree, leaf, reading);
  }

  private forget(): void {
    this.keep([], null);
  }

  private keep(steps: Step[], start: EventId | null): void {
    this.steps = steps;
    this.start = start;
    this.places = new Map(steps.map(({ id }, place) => [id, place]));
    this.messages = [];
    this.folded = 0;
  }

  /** Makes `steps` the path to `leaf`; false when that is not to be remembered. */
  private follow(leaf: EventId, reading: Reading): boolean {
    const added: Step[] = [];
    let barrier: Extract<LlmAction, { action: "barrier" }> | undefined;
    let meets: number | undefined;
    for (const event of this.tree.ancestors(leaf)) {
      if (barrier && event.id === barrier.after) break;
      meets = this.places.get(event.id);
      if (meets !== undefined) break;
      const action = reading.toLlm(event);
      const again = reading.convertsAnew(event);
      if (again && action.action === "barrier") return false;
      added.push({ id: event.id, action, ...(again && { event }) });
      if (added.length > MOST_STEPS) return false;
      if (action.action !== "barrier" || barrier) continue;
      barrier = action;
      if (action.after === undefined) break;
    }
    added.reverse();
    if (meets !== undefined) return this.join(meets, added, barrier?.after);
    const start = barrier ? (barrier.after ?? this.tree.parent(added[0]?.id as EventId)?.id ?? null) : null;
    this.keep(added, start);
    return true;
  }

  /** Puts what was added behind the step that it follows; `after`: what a barrier among it keeps begins behind this event. */
  private join(meets: number, added: Step[], after: EventId | undefined): boolean {
    if (after !== undefined) {
      const from = after === this.start ? 0 : (this.places.get(after) ?? -1) + 1;
      if (from === 0 && after !== this.start) return false;
      this.keep([...this.steps.slice(from, meets + 1), ...added], after);
      return true;
    }
    if (meets < this.steps.length - 1) {
      // Going back before a barrier: what it stood for counts again.
      if (lastBarrier(this.steps) > meets) return false;
      this.keep(this.steps.slice(0, meets + 1), this.start);
    }
    for (const step of added) {
      this.places.set(step.id, this.steps.length);
      this.steps.push(step);
    }
    return this.steps.length <= MOST_STEPS;
  }

  private fold(reading: Reading): Message[] {
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
    // The same objects are given out every time.
    for (let at = first; at < this.messages.length; at++)
      if (!Object.isFrozen(this.messages[at])) freeze(this.messages[at]);
    return [...this.messages];
  }
}

function lastBarrier(steps: readonly Step[]): number {
  return steps.findLastIndex(({ action }) => action.action === "barrier");
}
