import type { AnyEvent, TransientDefinition } from "@scorel/kernel";

type Rule = NonNullable<TransientDefinition["inFlight"]>;

/** An event of work in flight, and the text that later events appended to it. */
interface Entry {
  event: AnyEvent;
  /** The last event that was appended to the entry. */
  last: AnyEvent;
  text: string;
}

/**
 * The events of a session's unfinished work in a condensed form: the text of all deltas in one event, and only the latest progress of a
 * tool.
 */
export class InFlightEvents {
  private readonly ruleOf: (type: string) => Rule | undefined;
  private readonly works = new Map<string, Entry[]>();

  constructor(ruleOf: (type: string) => Rule | undefined) {
    this.ruleOf = ruleOf;
  }

  take(event: AnyEvent): void {
    const rule = this.ruleOf(event.type);
    if (!rule) return;
    const work = workOf(rule, event);
    if (rule.effect === "end") {
      this.works.delete(work);
      return;
    }
    const entries = this.works.get(work);
    if (!entries) this.works.set(work, [entryOf(event, rule)]);
    else if (rule.effect === "replace") entries.splice(indexOfType(entries, event.type), 1, entryOf(event, rule));
    else if (!appended(entries.at(-1), event, rule)) entries.push(entryOf(event, rule));
  }

  /** Whether work of a kind is in flight. */
  has(work: string): boolean {
    return this.works.has(work);
  }

  /** The first event of each unfinished work of a kind, in the order in which the work began. */
  of(work: string): AnyEvent[] {
    const own = [...this.works].filter(([name]) => name.startsWith(`${work} `));
    return own.flatMap(([, [first]]) => first?.event ?? []);
  }

  /** The events in seq order. Joined text has the seq of its last part. */
  list(): AnyEvent[] {
    const entries = [...this.works.values()].flat();
    return entries.map((entry) => eventOf(entry, this.ruleOf(entry.event.type))).sort((a, b) => a.seq - b.seq);
  }
}

function workOf({ work, id }: Rule, event: AnyEvent): string {
  return id === undefined ? work : `${work} ${fieldOf(event, id)}`;
}

function entryOf(event: AnyEvent, { text }: Rule): Entry {
  return { event, last: event, text: text === undefined ? "" : String(fieldOf(event, text) ?? "") };
}

/** The index of the latest event of a type; the index after the last event if there is none. */
function indexOfType(entries: readonly Entry[], type: string): number {
  const index = entries.findLastIndex(({ event }) => event.type === type);
  return index < 0 ? entries.length : index;
}

/** Appends the event's text to the entry, if that is of the same type and block. */
function appended(entry: Entry | undefined, event: AnyEvent, { effect, text, block }: Rule): boolean {
  if (effect !== "append" || text === undefined || entry?.event.type !== event.type) return false;
  if (block !== undefined && fieldOf(entry.event, block) !== fieldOf(event, block)) return false;
  entry.text += String(fieldOf(event, text) ?? "");
  entry.last = event;
  return true;
}

function eventOf({ event, last, text }: Entry, rule: Rule | undefined): AnyEvent {
  if (event === last || rule?.text === undefined) return event;
  return Object.freeze({ ...event, seq: last.seq, ts: last.ts, [rule.text]: text });
}

function fieldOf(event: AnyEvent, name: string): unknown {
  return (event as AnyEvent & Record<string, unknown>)[name];
}
