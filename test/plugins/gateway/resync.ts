import { readFileSync, truncateSync } from "node:fs";
import { connectHost, type RemoteClient } from "@scorel/host/client";
import type { Anchor, Delivered, ResumeMode, Subscription } from "@scorel/host/contract";
import { definePlugin, type Missed, type PluginContext } from "@scorel/kernel";
import { expect } from "vitest";
import { z } from "zod";
import { Gateway } from "../../../plugins/gateway/gateway.ts";
import { notes } from "../../kernel/notes.ts";
import { fc, seed } from "../../property.ts";
import { echoAgent, type TestHome, type TestHost, testHome, testHost } from "../host/home.ts";
import { wire } from "./wires.ts";

declare module "@scorel/kernel" {
  interface Transients {
    blob: { text: string };
  }
}

const FOLLOWERS = 3;
const who = fc.nat(FOLLOWERS - 1);
const steps = {
  append: fc.record({ do: fc.constant("append" as const), count: fc.integer({ min: 1, max: 5 }) }),
  emit: fc.record({ do: fc.constant("emit" as const), count: fc.integer({ min: 1, max: 20 }) }),
  rewind: fc.record({ do: fc.constant("rewind" as const), back: fc.nat(10) }),
  compact: fc.record({ do: fc.constant("compact" as const) }),
  /** Emits more than the host keeps of transient events. */
  evict: fc.record({ do: fc.constant("evict" as const) }),
  drop: fc.record({ do: fc.constant("drop" as const), who }),
  /** Unsubscribes, and later subscribes again from the same position. */
  rejoin: fc.record({ do: fc.constant("rejoin" as const), who, away: fc.nat(5) }),
  slow: fc.record({ do: fc.constant("slow" as const), who, turns: fc.nat(4) }),
  /** Replaces the gateway by a new one, which knows no clients. */
  restart: fc.record({ do: fc.constant("restart" as const) }),
  /** Does the same, and closes and opens the session; with `damage`, the log loses its last bytes. */
  reopen: fc.record({ do: fc.constant("reopen" as const), damage: fc.boolean() }),
  pass: fc.record({ do: fc.constant("pass" as const), turns: fc.nat(4) }),
};
type Step =
  (typeof steps)[keyof typeof steps] extends fc.Arbitrary<unknown>
    ? { [K in keyof typeof steps]: (typeof steps)[K] extends fc.Arbitrary<infer T> ? T : never }[keyof typeof steps]
    : never;

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: steps.append },
  { weight: 6, arbitrary: steps.emit },
  { weight: 2, arbitrary: steps.rewind },
  { weight: 1, arbitrary: steps.compact },
  { weight: 1, arbitrary: steps.evict },
  { weight: 4, arbitrary: steps.drop },
  { weight: 2, arbitrary: steps.rejoin },
  { weight: 2, arbitrary: steps.slow },
  { weight: 1, arbitrary: steps.restart },
  { weight: 1, arbitrary: steps.reopen },
  { weight: 4, arbitrary: steps.pass },
);

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A client that follows a session. Collects the stored events, and checks what it is told about the stream. */
class Follower {
  client!: RemoteClient;
  subscription: Subscription | undefined;
  readonly modes: ResumeMode[] = [];
  readonly problems: string[] = [];
  /** How often it had to reload although it knew its position in the stream. */
  reloads = 0;
  stored: { id: string; seq: number }[] = [];
  cut = () => {};
  turns = 0;
  private at: Anchor | undefined;
  private isResumed = false;
  /** Up to this seq, only stored events follow, since the client was too slow and got `missed`. */
  private missedTo = 0;

  readonly capacity: number | undefined;

  constructor(capacity: number | undefined) {
    this.capacity = capacity;
  }

  begin(mode: ResumeMode): void {
    this.modes.push(mode);
    if (mode !== "stream_resume" && this.at && this.at.streamSeq >= 0) this.reloads++;
    this.isResumed = mode === "stream_resume";
    if (mode !== "stream_resume") this.at = undefined;
    if (mode === "full_reload") this.stored = [];
  }

  readonly hear = async ({ event }: Delivered): Promise<void> => {
    const before = this.at;
    this.at = this.subscription?.anchor;
    if (event.type === "missed") this.missedTo = (event as Missed).to;
    else this.check(event as { seq: number }, before);
    if ("id" in event) {
      if (event.seq <= (this.stored.at(-1)?.seq ?? 0)) this.problems.push(`event ${event.seq} twice or out of order`);
      this.stored.push(event);
    }
    for (let n = 0; n < this.turns; n++) await turn();
  };

  /** Checks that in a stream, each event follows the last one and belongs to the same activation of the session. */
  private check({ seq }: { seq: number }, before: Anchor | undefined): void {
    const now = this.at;
    if (!before || !now || before.streamSeq < 0 || seq <= this.missedTo) return;
    if (this.isResumed && (before.epoch !== now.epoch || before.activation !== now.activation))
      this.problems.push(`event ${seq} of another opening of the session after a stream was resumed`);
    if (
      now.streamSeq >= 0 &&
      before.activation === now.activation &&
      seq !== Math.max(before.streamSeq, this.missedTo) + 1
    )
      this.problems.push(`event ${seq} after ${before.streamSeq}`);
  }
}

/** A host with one session, and the clients that follow it. */
class World {
  private gateway: Gateway | undefined;
  readonly followers = [new Follower(undefined), new Follower(10), new Follower(undefined)];
  sessionId = "";

  private readonly t: TestHost;
  private readonly home: TestHome;
  private readonly contexts: Map<string, PluginContext>;

  constructor(t: TestHost, home: TestHome, contexts: Map<string, PluginContext>) {
    this.t = t;
    this.home = home;
    this.contexts = contexts;
  }

  private get ctx(): PluginContext<any, any> {
    return this.contexts.get(this.sessionId) as PluginContext<any, any>;
  }

  async begin(): Promise<void> {
    const { client } = this.t;
    ({ sessionId: this.sessionId } = await client.request("create_session", { cwd: this.home.cwd }));
    await this.ctx.session.append("note", { text: "first" });
    this.open();
    await Promise.all(
      this.followers.map(async (follower) => {
        follower.client = await connectHost({
          dial: () => this.dial(follower),
          version: "1.0.0",
          times: { firstRetry: 1, lastRetry: 3 },
        });
        await this.join(follower);
      }),
    );
  }

  async take(step: Step): Promise<void> {
    const { session } = this.ctx as any;
    if (step.do === "append") for (let n = 0; n < step.count; n++) await session.append("note", { text: `note ${n}` });
    else if (step.do === "emit") for (let n = 0; n < step.count; n++) await session.emit("tick", { n });
    else if (step.do === "rewind") {
      const all = session.tree.tail(step.back + 1).filter(({ type }: { type: string }) => type === "note");
      if (all[0]) await session.append("jump", { to: all[0].id });
    } else if (step.do === "compact") await session.append("aside", { text: "compacted" });
    else if (step.do === "evict") await session.emit("blob", { text: "x".repeat(2_200_000) });
    else if (step.do === "drop") this.followers[step.who]?.cut();
    else if (step.do === "slow") (this.followers[step.who] as Follower).turns = step.turns;
    else if (step.do === "rejoin") await this.rejoin(this.followers[step.who] as Follower, step.away);
    else if (step.do === "restart") await this.restart(async () => {});
    else if (step.do === "reopen") await this.restart(() => this.reopen(step.damage));
    else for (let n = 0; n < step.turns; n++) await turn();
  }

  /** Waits until all clients have received everything, and compares their events with the log. */
  async finish(done: readonly Step[]): Promise<void> {
    for (const follower of this.followers) follower.turns = 0;
    await Promise.all(this.followers.map(({ client }) => client.drained(this.sessionId)));
    const { events } = await this.t.client.request("get_events", { sessionId: this.sessionId });
    const log = events.map(({ event }) => event);
    const did = (...names: Step["do"][]) => done.some((step) => names.includes(step.do));
    const isDamaged = done.some((step) => step.do === "reopen" && step.damage);
    for (const { problems, stored, modes, reloads } of this.followers) {
      expect(problems).toEqual([]);
      expect(stored).toEqual(log);
      if (!did("evict", "reopen")) expect(reloads).toBe(0);
      if (!isDamaged) expect(modes.slice(1)).not.toContain("full_reload");
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.followers.map(({ client }) => client.close()));
    await this.gateway?.dismiss("the test ends", false);
    await this.t.client.request("close_session", { sessionId: this.sessionId });
  }

  private open(): void {
    const logger = { info: () => {}, warn: () => {} };
    this.gateway = new Gateway({ host: this.t.host, version: "1.0.0", logger });
  }

  private dial(follower: Follower) {
    if (!this.gateway) throw new Error("nobody listens");
    const { near, far, cut } = wire();
    follower.cut = cut;
    this.gateway.accept(far, { transport: "test", admit: () => ({}) });
    return near;
  }

  private async join(follower: Follower, anchor?: Anchor): Promise<void> {
    const { capacity } = follower;
    follower.subscription = undefined;
    follower.subscription = await follower.client.subscribe(this.sessionId, follower.hear, {
      tail: Number.POSITIVE_INFINITY,
      resumed: (mode) => follower.begin(mode),
      ...(capacity !== undefined && { capacity }),
      ...(anchor && { anchor }),
    });
    follower.begin(follower.subscription.mode);
  }

  private async rejoin(follower: Follower, away: number): Promise<void> {
    const { subscription } = follower;
    await subscription?.();
    const anchor = subscription?.anchor;
    for (let n = 0; n < away; n++) await turn();
    await this.join(follower, anchor);
  }

  private async restart(meanwhile: () => Promise<void>): Promise<void> {
    const { gateway } = this;
    this.gateway = undefined;
    await gateway?.dismiss("it is restarted", true);
    await meanwhile();
    this.open();
  }

  private async reopen(damage: boolean): Promise<void> {
    const { sessionId } = this;
    await this.t.client.request("close_session", { sessionId });
    const path = this.home.session(`${sessionId}.jsonl`);
    if (damage) truncateSync(path, readFileSync(path).length - 10);
    await this.t.client.request("load_session", { sessionId });
  }
}

/** Runs random sequences of steps, and compares what clients got with the log. */
export async function checkResync(numRuns: number): Promise<void> {
  using home = testHome();
  const contexts = new Map<string, PluginContext>();
  const scribe = definePlugin({
    id: "scribe",
    name: "Scribe",
    version: "1.0.0",
    events: { blob: { schema: z.strictObject({ text: z.string() }), transient: true } },
    activate: (ctx) => void contexts.set(ctx.session.id, ctx as unknown as PluginContext),
  });
  await using t = await testHost([echoAgent, notes, scribe]);
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 25 }), async (done) => {
      const world = new World(t, home, contexts);
      await world.begin();
      try {
        for (const step of done) await world.take(step);
        await world.finish(done);
      } finally {
        await world.end();
      }
    }),
    { seed, numRuns, endOnFailure: false },
  );
}
