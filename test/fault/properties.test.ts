import type { QueueItem } from "@scorel/agent/contract";
import {
  type AppendEntry,
  createKernel,
  definePlugin,
  type EventId,
  type Events,
  type Kernel,
  type Missed,
  type StoredEvent,
} from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import messages from "@scorel/messages";
import type { ScorelMessage } from "@scorel/messages/contract";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { queueProjection, queueUpdate, sentProjection } from "../../plugins/agent/turn/queue.ts";
import { testHeader } from "../harness.ts";
import { fc, seed } from "../property.ts";
import { isPath, Reference } from "./reference.ts";

declare module "@scorel/kernel" {
  interface Events {
    claim: { slot: number; by: number };
    claim_beside: { slot: number; by: number };
  }
  interface Projections {
    trail: readonly EventId[];
    everything: readonly EventId[];
    claims: Readonly<Record<number, number>>;
  }
}

const SEQUENCES = 5_000;
const parameters = { seed, numRuns: SEQUENCES };

const claim = z.strictObject({ slot: z.number(), by: z.number() });
const probe = definePlugin({
  id: "probe",
  name: "Probe",
  version: "1.0.0",
  events: {
    queue_update: queueUpdate,
    claim: { schema: claim },
    claim_beside: { schema: claim, leaf: (_event, current) => current },
  },
  projections: {
    queue: queueProjection,
    sent: sentProjection,
    trail: { over: "path", init: () => [], update: (state: EventId[], { id }: StoredEvent) => [...state, id] },
    everything: { over: "log", init: () => [], update: (state: EventId[], { id }: StoredEvent) => [...state, id] },
    claims: {
      over: "log",
      init: () => ({}),
      update: (state: Record<number, number>, event: StoredEvent & Partial<Events["claim"]>) =>
        event.slot === undefined ? state : { ...state, [event.slot]: event.by },
    },
  },
});

type Log = ReturnType<typeof createMemoryStore>;
const open = (store: Log): Promise<Kernel> =>
  createKernel({ entries: [messages, probe].map((plugin) => ({ plugin, origin: "test" })), store });
const reopened = (log: Log) => open(createMemoryStore(testHeader, parsed(log)));
const parsed = (log: Log) => log.records.map((record) => JSON.parse(record) as StoredEvent);

type Step =
  | { do: "say"; role: ScorelMessage["role"] | "steer" | "custom"; under?: number }
  | { do: "info" | "custom" | "channel" | "emit" | "refuse" | "batch" | "queue" | "deliver" | "reopen" }
  | { do: "rewind" | "branch" | "compact"; at: number };

const at = fc.nat(40);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant("say"), role: roles() }) as fc.Arbitrary<Step> },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("say"), role: roles(), under: at }) as fc.Arbitrary<Step> },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom("rewind", "branch", "compact"), at }) as fc.Arbitrary<Step>,
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom("info", "custom", "channel", "emit", "refuse", "batch", "queue", "deliver", "reopen"),
      }) as fc.Arbitrary<Step>,
    },
  ),
  // Includes long sequences: by default short ones are preferred, but interesting trees have many events.
  { maxLength: 30, size: "max" },
);
function roles() {
  return fc.constantFrom("user", "steer", "assistant", "tool_result", "internal", "custom");
}

/** Applies steps to a session and to the reference. */
class Play {
  readonly reference = new Reference();
  /** Queued messages that were not delivered, on any branch. */
  readonly waiting: string[] = [];
  readonly log: Log = createMemoryStore(testHeader);
  kernel!: Kernel;
  private heard: (StoredEvent | Missed | { seq: number })[] = [];
  private said = 0;

  async start(): Promise<void> {
    this.kernel = await open(this.log);
    this.heard = [];
    this.kernel.subscribe((event) => void this.heard.push(event));
  }

  /** Ends the activation; checks that all events in it were numbered in ascending order. */
  async end(): Promise<void> {
    await this.kernel.drained();
    expectRising(this.heard.map((event) => ("seq" in event ? event.seq : Number.NaN)));
    await this.kernel.stop();
  }

  async take(step: Step): Promise<void> {
    const { session } = this.kernel;
    if (step.do === "say") return this.say(step.role, step.under);
    if (step.do === "rewind") return this.jump("rewind", { targetEventId: this.pick(step.at) }, isPath);
    if (step.do === "branch") return this.jump("branch", { leafEventId: this.pick(step.at) }, isPath);
    if (step.do === "compact") return this.compact(this.pick(step.at));
    if (step.do === "info") return this.append("session_info", { changes: { name: `name ${++this.said}` } });
    if (step.do === "custom") return this.append("custom", { kind: "test", data: ++this.said });
    if (step.do === "channel") return this.append("channel_inject", { channel: "chat", externalId: `${++this.said}` });
    if (step.do === "emit") return void session.emit("prompt_submit", { prompt: "x" });
    if (step.do === "refuse") return this.refuse();
    if (step.do === "batch") return this.batch();
    if (step.do === "queue") return this.queue();
    if (step.do === "deliver") return this.deliver();
    await this.end();
    await this.start();
  }

  private async append<T extends keyof Events>(type: T, payload: Events[T], parentId?: EventId): Promise<void> {
    const stored = await this.kernel.session.append(type, payload, parentId === undefined ? {} : { parentId });
    this.reference.add(stored as unknown as StoredEvent);
  }

  private say(role: string, under: number | undefined): Promise<void> {
    const parent = under === undefined || this.reference.events.length === 0 ? undefined : this.pick(under);
    const message = messageOf(role, `${++this.said}`);
    if (role === "custom") return this.append("custom_message", { kind: "test", message }, parent);
    return this.append("message", { message }, parent);
  }

  /** A rewind to an event that is not part of the conversation is refused and changes nothing. */
  private async jump<T extends "rewind" | "branch">(
    type: T,
    payload: Events[T],
    may: (event: StoredEvent) => boolean,
  ): Promise<void> {
    const [target] = Object.values(payload);
    const event = this.reference.events.find(({ id }) => id === target);
    const legal = target === this.reference.leaf || (event !== undefined && may(event));
    if (legal) return this.append(type, payload);
    await this.refused(this.kernel.session.append(type, payload), "LOG_INVALID_LEAF");
  }

  private async compact(through: EventId): Promise<void> {
    const payload = { summary: `${++this.said}`, compactedThrough: through, tokensBefore: 2, tokensAfter: 1 };
    if (this.reference.mayCut(through)) return this.append("compact", payload);
    await this.refused(this.kernel.session.append("compact", payload), "LOG_INVALID_BARRIER");
  }

  private refuse(): Promise<void> {
    const check = () => {
      throw Object.assign(new Error("no"), { code: "NO" });
    };
    const message = messageOf("user", "never");
    return this.refused(this.kernel.session.append("message", { message }, { check }), "NO");
  }

  private async refused(appending: Promise<unknown>, code: string): Promise<void> {
    const { seq, activeLeaf } = this.kernel.session;
    const thrown = await appending.then(
      () => undefined,
      (error: { code?: string }) => error,
    );
    expect([thrown?.code, this.kernel.session.seq, this.kernel.session.activeLeaf]).toEqual([code, seq, activeLeaf]);
  }

  private async batch(): Promise<void> {
    const entry = (role: string): AppendEntry => ({
      type: "message",
      payload: { message: messageOf(role, `${++this.said}`) },
    });
    const info: AppendEntry = { type: "session_info", payload: { changes: { name: "batch" } } };
    const stored = await this.kernel.session.appendAll([entry("assistant"), info, entry("tool_result")]);
    for (const event of stored) this.reference.add(event);
  }

  private async queue(): Promise<void> {
    const id = `item${++this.said}`;
    const message = { role: "user" as const, content: id, timestamp: 1, meta: { messageId: `sent${id}` } };
    const item: QueueItem = { id, mode: "steer", clientId: "test", message };
    await this.append("queue_update", { items: [...this.kernel.session.projection("queue"), item] });
    this.waiting.push(id);
  }

  private async deliver(): Promise<void> {
    const [item] = this.kernel.session.projection("queue");
    if (!item) return;
    const meta = { source: "steer" as const, queueItemId: item.id };
    await this.append("message", { message: { ...item.message, meta } });
    this.waiting.shift();
  }

  private pick(n: number): EventId {
    const { events } = this.reference;
    return events[n % Math.max(1, events.length)]?.id ?? "nothing0";
  }
}

async function played(taken: readonly Step[]): Promise<Play> {
  const play = new Play();
  await play.start();
  for (const step of taken) await play.take(step);
  return play;
}

describe(`${SEQUENCES} random sequences in a session`, () => {
  const title = `give a model the same messages as the reference, have ascending numbers, and are the same when replayed (seed ${seed})`;
  it(title, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const play = await played(taken);
        expectAsReferred(play);
        const again = await reopened(play.log);
        expect(stateOf(again)).toEqual(stateOf(play.kernel));
        await again.stop();
        // Seqs rise within an activation, and for stored events in all activations together.
        await play.end();
        expectRising(parsed(play.log).map(({ seq }) => seq));
      }),
      parameters,
    );
  }, 300_000);
});

function expectAsReferred({ kernel: { session }, reference, waiting }: Play): void {
  expect(session.activeLeaf).toBe(reference.leaf);
  expect(session.buildContext()).toEqual(reference.context());
  expect(session.projection("queue").map(({ id }) => id)).toEqual(waiting);
  expect(session.projection("trail")).toEqual(reference.path().map(({ id }) => id));
}

interface Claim {
  slot: number;
  beside: boolean;
  /** The number of microtask turns before the claim is made. */
  late: number;
}
const claims = fc.record({
  all: fc.array(fc.record({ slot: fc.nat(3), beside: fc.boolean(), late: fc.nat(4) }), { minLength: 1, maxLength: 12 }),
  /** After how many microtask turns a running turn claims the path, and for how long; undefined if it does not. */
  hold: fc.option(fc.record({ from: fc.nat(3), turns: fc.nat(4) }), { nil: undefined }),
});

describe(`${SEQUENCES} random orders of claims on the same slots`, () => {
  it(`give each slot to one claim, and refuse the others without a number (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(claims, async ({ all, hold }) => {
        const log = createMemoryStore(testHeader);
        const kernel = await open(log);
        const holding = hold && holdFor(kernel, hold);
        const answers = await Promise.all(all.map((one, by) => make(kernel, one, by)));
        await holding;
        const stored = parsed(log) as (StoredEvent & Events["claim"])[];
        const slots = stored.map(({ slot }) => slot);
        expect(slots.toSorted()).toEqual([...new Set(all.map(({ slot }) => slot))].sort());
        expectRising(stored.map(({ seq }) => seq));
        const written = stored.map(({ by }) => by).toSorted();
        const acknowledged = answers.flatMap((answer, by) => (answer === "written" ? [by] : []));
        const queued = answers.flatMap((answer, by) => (answer === "queued" ? [by] : []));
        expect(written).toEqual(expect.arrayContaining(acknowledged));
        expect([...acknowledged, ...queued]).toEqual(expect.arrayContaining(written));
        const late = queued.filter((by) => !written.includes(by));
        expect(kernel.failures.map(({ where }) => where)).toEqual(late.map(() => "queued append"));
        await kernel.stop();
      }),
      parameters,
    );
  }, 180_000);

  async function make({ session }: Kernel, { slot, beside, late }: Claim, by: number) {
    await turns(late);
    const check: NonNullable<AppendEntry["check"]> = (view) => {
      if (view.projection("claims")[slot] !== undefined) throw new Error("taken");
    };
    return session.append(beside ? "claim_beside" : "claim", { slot, by }, { check }).then(
      ({ queued }) => (queued ? "queued" : "written"),
      () => "refused",
    );
  }

  async function holdFor({ session }: Kernel, { from, turns: kept }: { from: number; turns: number }): Promise<void> {
    await turns(from);
    const hold = session.hold();
    await turns(kept);
    await hold.release();
  }
});

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await undefined;
}

function expectRising(numbers: readonly number[]): void {
  const broken = numbers.findIndex((number, n) => n > 0 && !(number > (numbers[n - 1] as number)));
  expect({ broken, numbers: broken < 0 ? [] : numbers }).toEqual({ broken: -1, numbers: [] });
}

/** All state that a session exposes. */
function stateOf({ session }: Kernel): unknown {
  const { tree } = session;
  const leaves = tree.leaves();
  return {
    events: [...tree],
    leaf: session.activeLeaf,
    epoch: session.epoch,
    root: tree.root?.id,
    leaves: leaves.map(({ id }) => id),
    branchPoints: tree.branchPoints().map(({ id }) => id),
    contexts: leaves.map(({ id }) => session.buildContext(id)),
    context: session.buildContext(),
    trail: session.projection("trail"),
    everything: session.projection("everything"),
    claims: session.projection("claims"),
    meta: session.projection("sessionMeta"),
    queue: session.projection("queue"),
    sent: session.projection("sent"),
  };
}

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
function messageOf(role: string, text: string): ScorelMessage {
  const content = [{ type: "text" as const, text }];
  if (role === "assistant")
    return {
      role,
      content,
      api: "test",
      provider: "test",
      model: "test",
      usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
      stopReason: "stop",
      timestamp: 1,
    };
  if (role === "tool_result")
    return { role, toolCallId: text, toolName: "test", content, isError: false, timestamp: 1 };
  if (role === "internal") return { role, content: text, timestamp: 1 };
  return { role: "user", content: text, timestamp: 1, ...(role === "steer" && { meta: { source: "steer" } }) };
}
