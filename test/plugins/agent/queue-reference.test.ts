import type { QueueItem } from "@scorel/agent/contract";
import { createKernel, definePlugin, type Events, type Kernel, type StoredEvent } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import messages from "@scorel/messages";
import { expect, it } from "vitest";
import {
  Queue,
  queueProjection,
  queueSeqProjection,
  queueUpdate,
  sentProjection,
} from "../../../plugins/agent/turn/queue.ts";
import { testHeader } from "../../harness.ts";
import { fc } from "../../property.ts";

const keeper = definePlugin({
  id: "keeper",
  name: "Keeper",
  version: "1.0.0",
  events: { queue_update: queueUpdate },
  projections: { queue: queueProjection, queueSeq: queueSeqProjection, sent: sentProjection },
});

type Mode = QueueItem["mode"];
type Step =
  | { do: "add"; mode: Mode }
  | { do: "deliver"; resting: boolean }
  | { do: "rewrite"; order: number[]; convert: number; edit: number; stale: boolean }
  | { do: "gone" }
  | { do: "rewind" }
  | { do: "kill"; lost: boolean };

const mode = fc.constantFrom<Mode>("steer", "follow_up");
const n = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("add" as const), mode }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deliver" as const), resting: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("rewrite" as const),
      order: fc.array(n, { maxLength: 6 }),
      convert: n,
      edit: n,
      stale: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: "gone" }, { do: "rewind" }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("kill" as const), lost: fc.boolean() }) },
);

interface Waiting {
  id: string;
  mode: Mode;
  text: string;
}

/** Applies steps to a queue over a log, which is killed and opened again, and to a list as the reference. */
class Play {
  private records: StoredEvent[] = [];
  private kernel!: Kernel;
  private queue!: Queue;
  private store = createMemoryStore(testHeader);
  private waiting: Waiting[] = [];
  /** Delivered messages in order. A message that was taken back before it was acknowledged is in neither list. */
  private delivered: string[] = [];
  private made = 0;

  async open(): Promise<void> {
    this.store = createMemoryStore(testHeader, this.records);
    const entries = [messages, keeper].map((plugin) => ({ plugin, origin: "test" }));
    this.kernel = await createKernel({ entries, store: this.store });
    this.queue = new Queue(this.kernel.session);
  }

  async take(step: Step): Promise<void> {
    if (step.do === "add") await this.add(step.mode);
    else if (step.do === "deliver") await this.deliver(step.resting);
    else if (step.do === "rewrite") await this.rewrite(step);
    else if (step.do === "gone") await this.refused();
    else if (step.do === "rewind") await this.kernel.session.append("rewind", { targetEventId: null });
    else await this.kill(step.lost);
    this.compare();
  }

  compare(): void {
    const { session } = this.kernel;
    const shown = session.projection("queue").map(({ id, mode, message }) => ({ id, mode, text: message.content }));
    expect(shown).toEqual(this.waiting);
    const log = [...session.tree].flatMap((event: any) => event.message?.meta?.queueItemId ?? []);
    expect(log).toEqual(this.delivered);
  }

  async end(): Promise<void> {
    await this.kernel.stop();
  }

  private async add(mode: Mode): Promise<void> {
    const id = `item${++this.made}`;
    const message = { role: "user" as const, content: id, timestamp: 0 };
    await this.queue.add({ id, mode, message, clientId: "c" });
    this.waiting.push({ id, mode, text: id });
  }

  private async deliver(resting: boolean): Promise<void> {
    const hold = this.kernel.session.hold();
    await this.queue.deliver(this.queue.due(resting), hold);
    await hold.release();
    const steers = this.waiting.filter(({ mode }) => mode === "steer");
    const due = steers.length > 0 || !resting ? steers : this.waiting.slice(0, 1);
    this.waiting = this.waiting.filter((item) => !due.includes(item));
    this.delivered.push(...due.map(({ id }) => id));
  }

  private async rewrite({ order, convert, edit, stale }: Extract<Step, { do: "rewrite" }>): Promise<void> {
    const seq = this.kernel.session.projection("queueSeq");
    const kept = [...new Set(order)].flatMap((at) => this.waiting[at] ?? []);
    const changed = kept.map((item, at) => ({
      id: item.id,
      mode: at === convert ? ("steer" as const) : item.mode,
      text: at === edit ? `${item.text}!` : item.text,
    }));
    const changes = changed.map(({ id, mode, text }) => ({
      id,
      mode,
      message: { role: "user" as const, content: text, timestamp: 0 },
    }));
    const rewriting = this.queue.rewrite(changes, { expectedSeq: stale ? seq - 1 : seq });
    if (stale) return expect(rewriting).rejects.toMatchObject({ code: "AGENT_QUEUE_CONFLICT" });
    const removed = this.waiting.filter((item) => !kept.includes(item)).map(({ id }) => id);
    expect(await rewriting).toEqual(removed);
    this.waiting = changed;
  }

  /** Delivered messages cannot be taken back. */
  private async refused(): Promise<void> {
    const [id = "never"] = this.delivered;
    const rewriting = this.queue.rewrite([...this.waiting.map((item) => ({ id: item.id })), { id }], {});
    await expect(rewriting).rejects.toMatchObject({ code: "AGENT_QUEUE_UNKNOWN" });
  }

  /** Ends it between two writes; with `lost`, in the middle of the last write, whose record is then not in the log. */
  private async kill(lost: boolean): Promise<void> {
    const records = this.store.records.map((record) => JSON.parse(record) as StoredEvent);
    await this.kernel.stop();
    this.records = lost ? records.slice(0, -1) : records;
    if (lost) this.retell();
    await this.open();
  }

  /** Computes the reference for a log without its last record again from all other records. */
  private retell(): void {
    this.waiting = [];
    this.delivered = [];
    for (const event of this.records as (StoredEvent & Events["queue_update"] & { message?: any })[]) {
      if (event.type === "queue_update") this.retellUpdate(event);
      const id = event.message?.meta?.queueItemId;
      if (id === undefined) continue;
      this.waiting = this.waiting.filter((item) => item.id !== id);
      this.delivered.push(id);
    }
  }

  private retellUpdate({ items, added = [], changed = [], removed = [], moved = [] }: Events["queue_update"]): void {
    if (items) this.waiting = [];
    this.waiting = this.waiting.filter(({ id }) => !removed.includes(id));
    for (const { id, mode, message } of changed) {
      const item = this.waiting.find((each) => each.id === id) as Waiting;
      if (mode) item.mode = mode;
      if (message) item.text = String(message.content);
    }
    for (const { id, after } of moved) {
      const [item] = this.waiting.splice(
        this.waiting.findIndex((each) => each.id === id),
        1,
      );
      this.waiting.splice(this.waiting.findIndex((each) => each.id === after) + 1, 0, item as Waiting);
    }
    for (const { id, mode, message } of [...(items ?? []), ...added])
      this.waiting.push({ id, mode, text: String(message.content) });
  }
}

it("a queue matches a reference list: each message is delivered once or waits, wherever the process is killed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: "max" }), async (steps) => {
      const play = new Play();
      await play.open();
      for (const each of steps) await play.take(each);
      await play.end();
    }),
    { numRuns: 500 },
  );
});
