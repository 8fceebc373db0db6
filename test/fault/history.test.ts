import history from "@scorel/history";
import type { Client } from "@scorel/host/contract";
import type { EventId, Session } from "@scorel/kernel";
import type { AssistantMessage } from "@scorel/messages/contract";
import { expect, it } from "vitest";
import { call, hand, wordsOf } from "../plugins/history/desk.ts";
import { assistant, echoAgent, testHome, testHost } from "../plugins/host/home.ts";
import { fc, seed } from "../property.ts";
import { Reference } from "./history-reference.ts";

const SEQUENCES = 5_000;
const REOPENED = 300;

type Step =
  | { do: "ask" | "work" | "half" | "undo" | "redo" | "name" }
  | { do: "rewind" | "branch" | "clone" | "compact"; at: number }
  | { do: "race"; at: number; and: number };

const at = fc.nat(30);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constantFrom("ask", "work", "half", "undo", "redo", "name"),
      }) as fc.Arbitrary<Step>,
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom("rewind", "branch", "clone", "compact"), at }) as fc.Arbitrary<Step>,
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("race"), at, and: at }) as fc.Arbitrary<Step> },
  ),
  { maxLength: 16, size: "max" },
);

/** Applies steps to a session with its operations, and to the reference. */
class Play {
  readonly reference = new Reference();
  private readonly client: Client;
  private readonly sessionId: string;
  private session: Session;
  /** All stored events, in order. */
  private readonly written: EventId[] = [];
  private said = 0;

  constructor(client: Client, session: Session) {
    this.client = client;
    this.sessionId = session.id;
    this.session = session;
  }

  /** Closes the session and opens it again from its log. */
  async reopen(): Promise<void> {
    await this.client.request("close_session", { sessionId: this.sessionId });
    this.session = (await this.client.request("hand_over", { sessionId: this.sessionId })).kernel.session;
    expect(Array.from(this.session.tree, ({ id }) => id)).toEqual(this.written);
  }

  async take(step: Step): Promise<void> {
    await this.does(step);
    expect(this.session.activeLeaf).toBe(this.reference.leaf);
    expect(this.session.buildContext().map(wordsOf)).toEqual(this.reference.context(this.reference.leaf));
    const ids = Array.from(this.session.tree, ({ id }) => id);
    expect(ids.slice(0, this.written.length)).toEqual(this.written);
    this.written.push(...ids.slice(this.written.length));
  }

  /** Compares the whole tree with the reference. */
  async told(): Promise<void> {
    const { rows, leafId, leafCount } = await this.client.request("get_tree", {
      sessionId: this.sessionId,
      limit: 1000,
    });
    expect(rows.map(({ id, parentId, point }) => ({ id, parent: parentId, point }))).toEqual(
      this.reference.events.map(({ id, parent }) => ({ id, parent, point: this.reference.isPoint(id) })),
    );
    expect(leafId).toBe(this.reference.leaf);
    expect(leafCount).toBe(this.reference.events.filter(({ id }) => this.reference.isLeaf(id)).length);
  }

  private async does(step: Step): Promise<void> {
    if (!("at" in step)) return this.here(step.do);
    const event = this.picked(step.at);
    if (!event) return;
    if (step.do === "race") return this.race(event.id, this.picked(step.and)?.id ?? event.id);
    if (step.do === "rewind") return this.rewind(event.id);
    if (step.do === "branch") return this.branch(event.id);
    if (step.do === "clone") return this.clone(event.id);
    return this.compact(step.at);
  }

  private async here(what: "ask" | "work" | "half" | "undo" | "redo" | "name"): Promise<void> {
    const { sessionId } = this;
    if (what === "ask") return this.ask();
    if (what === "work") return this.work(2);
    if (what === "half") return this.work(1);
    if (what === "undo") return this.undo();
    if (what === "redo") return this.redo();
    await this.client.request("rename_session", { sessionId, name: `n${++this.said}` });
  }

  private picked(place: number) {
    return this.reference.events.at(place % Math.max(1, this.reference.events.length));
  }

  private async ask(): Promise<void> {
    const words = `q${++this.said}`;
    const { id } = await this.session.append("message", { message: { role: "user", content: words, timestamp: 1 } });
    this.reference.add({ id, role: "user", words, waiting: [] });
    await this.answer([{ type: "text", text: `a${this.said}` }], []);
  }

  /** Two calls, of which this many have a result. */
  private async work(done: number): Promise<void> {
    const names = ["c1", "c2"];
    await this.answer(
      names.map((name) => call(name)),
      names,
    );
    for (const [index, toolCallId] of names.slice(0, done).entries()) {
      const words = `r${++this.said}`;
      const content = [{ type: "text" as const, text: words }];
      const message = {
        role: "tool_result" as const,
        toolCallId,
        toolName: "Look",
        content,
        isError: false,
        timestamp: 1,
      };
      const { id } = await this.session.append("message", { message });
      this.reference.add({ id, role: "result", words, waiting: names.slice(index + 1) });
    }
  }

  private async answer(content: AssistantMessage["content"], waiting: string[]): Promise<void> {
    const message = { ...assistant, content };
    const { id } = await this.session.append("message", { message });
    this.reference.add({ id, role: "assistant", words: wordsOf(message), waiting });
  }

  private async rewind(to: EventId): Promise<void> {
    const asked = { sessionId: this.sessionId, targetEventId: to, expectedLeafId: this.reference.leaf };
    if (!this.reference.isPoint(to)) return this.refused(this.client.request("rewind", asked), "HISTORY_NO_POINT");
    await this.client.request("rewind", asked);
    this.reference.jump(to);
  }

  private async branch(to: EventId): Promise<void> {
    const asked = { sessionId: this.sessionId, leafEventId: to, messageId: `b${++this.said}` };
    if (!this.reference.isLeaf(to)) return this.refused(this.client.request("branch", asked), "HISTORY_NO_LEAF");
    const moved = await this.client.request("branch", asked);
    expect(await this.client.request("branch", asked)).toEqual(moved);
    this.reference.jump(to);
  }

  private async undo(): Promise<void> {
    const to = this.reference.undoTarget();
    const asked = { sessionId: this.sessionId };
    if (to === undefined) return this.refused(this.client.request("undo", asked), "HISTORY_NO_UNDO");
    const words = this.reference.path(this.reference.leaf).findLast(({ role }) => role === "user")?.words;
    expect(await this.client.request("undo", asked)).toMatchObject({ leafId: to, message: { text: words } });
    this.reference.jump(to);
  }

  private async redo(): Promise<void> {
    const to = this.reference.undone.at(-1);
    const asked = { sessionId: this.sessionId };
    if (to === undefined) return this.refused(this.client.request("redo", asked), "HISTORY_NO_REDO");
    expect(await this.client.request("redo", asked)).toMatchObject({ leafId: to });
    this.reference.jump(to);
  }

  private async compact(place: number): Promise<void> {
    const cuts = this.reference.cuts();
    const after = cuts[place % Math.max(1, cuts.length)]?.id;
    if (after === undefined || !this.reference.isPoint(this.reference.leaf ?? "")) return;
    const words = `s${++this.said}`;
    const payload = { summary: words, compactedThrough: after, tokensBefore: 2, tokensAfter: 1 };
    const { id } = await this.session.append("compact", payload);
    const said = this.session.buildContext()[0];
    expect(said && wordsOf(said)).toContain(words);
    this.reference.add({ id, role: "summary", words: said ? wordsOf(said) : "", waiting: [], after });
  }

  private async clone(eventId: EventId): Promise<void> {
    const asked = { sessionId: this.sessionId, eventId, unsaved: true };
    if (!this.reference.isPoint(eventId))
      return this.refused(this.client.request("clone_session", asked), "HISTORY_NO_POINT");
    const { sessionId, leafId } = await this.client.request("clone_session", asked);
    const { messages } = await this.client.request("get_context", { sessionId });
    await this.client.request("close_session", { sessionId });
    expect(leafId).toBe(eventId);
    expect(messages.map(wordsOf)).toEqual(this.reference.context(eventId));
  }

  /** Two rewinds from the same leaf: the first succeeds, the second is refused with the new leaf. */
  private async race(one: EventId, two: EventId): Promise<void> {
    const { leaf } = this.reference;
    if (![one, two].every((id) => this.reference.isPoint(id)) || one === leaf) return;
    const ask = (targetEventId: EventId) =>
      this.client.request("rewind", { sessionId: this.sessionId, targetEventId, expectedLeafId: leaf });
    const [first, second] = await Promise.allSettled([ask(one), ask(two)]);
    expect(first).toMatchObject({ status: "fulfilled", value: { leafId: one } });
    expect(second).toMatchObject({ status: "rejected", reason: { code: "HISTORY_CONFLICT", data: { actual: one } } });
    this.reference.jump(one);
  }

  private async refused(asked: Promise<unknown>, code: string): Promise<void> {
    await expect(asked).rejects.toMatchObject({ code });
  }
}

it(`${SEQUENCES} random sequences match the reference, lose nothing, and of two rewinds one wins (seed ${seed})`, async () => {
  using home = testHome();
  await using t = await testHost([echoAgent], [], [history, hand]);
  const property = fc.asyncProperty(steps, async (sequence) => {
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, unsaved: true });
    const { session } = (await t.client.request("hand_over", { sessionId })).kernel;
    const play = new Play(t.client, session);
    for (const step of sequence) await play.take(step);
    await play.told();
    await t.client.request("close_session", { sessionId });
  });
  await fc.assert(property, { seed, numRuns: SEQUENCES });
}, 180_000);

it(`${REOPENED} of them are the same after reopening, including what can be redone (seed ${seed})`, async () => {
  using home = testHome();
  await using t = await testHost([echoAgent], [], [history, hand]);
  const property = fc.asyncProperty(steps, async (sequence) => {
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const { session } = (await t.client.request("hand_over", { sessionId })).kernel;
    const play = new Play(t.client, session);
    await play.take({ do: "ask" });
    for (const step of sequence) await play.take(step);
    await play.reopen();
    await play.told();
    await play.take({ do: "redo" });
    await play.take({ do: "undo" });
    await t.client.request("close_session", { sessionId });
  });
  await fc.assert(property, { seed, numRuns: REOPENED });
});
