import { freeze } from "@scorel/kit/values/freeze";
import { Ledger } from "../tree/ledger.ts";
import type { Tree } from "../tree/tree.ts";
import type { EventId, LlmAction, Message } from "../types.ts";
import type { Converters } from "./converters.ts";

type Barrier = Extract<LlmAction, { action: "barrier" }>;
/** The converted form of a row. For a merged row, also the message that its text was last merged into, and the result. */
interface Step {
  action: LlmAction;
  merged?: { previous: Message; message: Message };
}
/**
 * The part of a path that a model reads, newest event first: the events after the last barrier (such as a summary) and those that it keeps.
 */
interface Stretch {
  barrier: Barrier | undefined;
  kept: number;
  steps: Step[];
  rows: number[];
}

/** Maximum number of rows whose steps are remembered, to save memory. */
const MAX_REMEMBERED = 100_000;

/**
 * Builds the messages that a model reads. Remembers what it converted and merged, so that a conversation that continues costs only
 * its new events, and an event is the same message object in every context.
 */
export class Context {
  private readonly tree: Tree;
  private readonly converters: Converters;
  private remembered = new Map<number, Step>();
  /** The converters with which the remembered steps were made. All steps are forgotten when these change. */
  private version: unknown;
  private merge: Converters["merge"];

  constructor(tree: Tree, converters: Converters) {
    this.tree = tree;
    this.converters = converters;
  }

  /** Returns the messages at `leaf`. They are frozen, because every call returns the same ones. */
  build(leaf: EventId | null): Message[] {
    this.forgetOutdated();
    const { barrier, steps, rows } = this.stretchTo(leaf);
    const messages: Message[] = barrier ? [frozen(barrier.summary)] : [];
    for (const step of steps.reverse()) this.fold(messages, step);
    this.forgetOthers(rows);
    return messages;
  }

  /** Whether a barrier may keep the events after `after`: it must be on the path and not before what the last barrier keeps. */
  mayKeep(parentId: EventId | null, after: EventId): boolean {
    this.forgetOutdated();
    const row = this.tree.rowOf(after);
    const { rows, kept } = this.stretchTo(parentId, row);
    return row !== Ledger.NO_ROW && (row === kept || rows.includes(row));
  }

  /**
   * Walks from `leaf` towards the root, up to the nearest barrier, or to its `after` if it has one, but not beyond the row `last`. Merged
   * texts are resolved later, in `fold`, because that needs the order from the root.
   */
  private stretchTo(leaf: EventId | null, last = Ledger.NO_ROW): Stretch {
    const found: Stretch = { barrier: undefined, kept: Ledger.NO_ROW, steps: [], rows: [] };
    for (const row of this.tree.links.upwards(this.tree.rowOf(leaf))) {
      if (found.barrier && row === found.kept) break;
      const step = this.remembered.get(row) ?? this.convert(row);
      if (!step) continue;
      found.rows.push(row);
      if (row === last) break;
      if (step.action.action !== "barrier") found.steps.push(step);
      else if (!found.barrier) {
        found.barrier = step.action;
        if (step.action.after === undefined) break;
        found.kept = this.tree.rowOf(step.action.after);
      }
    }
    return found;
  }

  private convert(row: number): Step | undefined {
    const event = this.tree.read(row);
    if (!event) return undefined;
    const step: Step = { action: this.converters.toLlm(event) };
    if (!this.converters.convertsAnew(event)) this.remembered.set(row, step);
    return step;
  }

  /** Adds the message of an event, or merges its text into the last message. */
  private fold(messages: Message[], step: Step): void {
    const { action } = step;
    if (action.action === "include") messages.push(frozen(action.message));
    if (action.action !== "merge_prev") return;
    const previous = messages.at(-1);
    const known = step.merged !== undefined && step.merged.previous === previous;
    const message = known ? step.merged?.message : previous && this.merge?.(previous, action.content);
    if (message === undefined) messages.push(frozen(action.otherwise));
    else {
      messages[messages.length - 1] = frozen(message);
      step.merged = { previous: previous as Message, message };
    }
  }

  private forgetOutdated(): void {
    const { version, merge } = this.converters;
    if (this.version === version && this.merge === merge) return;
    this.version = version;
    this.merge = merge;
    this.remembered.clear();
  }

  /** Forgets events of other paths and before the barrier, once they are more than half of the remembered ones. */
  private forgetOthers(rows: readonly number[]): void {
    const { remembered } = this;
    if (remembered.size <= 2 * rows.length && remembered.size <= MAX_REMEMBERED) return;
    const kept = rows.slice(0, MAX_REMEMBERED / 2).flatMap((row): [number, Step][] => {
      const step = remembered.get(row);
      return step ? [[row, step]] : [];
    });
    this.remembered = new Map(kept);
  }
}

function frozen(message: Message): Message {
  return Object.isFrozen(message) ? message : freeze(message);
}
