import { takeBackQueued } from "@scorel/host/client";
import type { Client, Delivered } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type { Screen } from "./screen.ts";

/** The turns of a session: whether one runs, those that this conversation waits for, and its queued messages. */
export class Turns {
  /** Number of turns that ended in an error. */
  failed = 0;
  private readonly client: Client;
  private readonly screen: Screen;
  private readonly onEnd: () => void;
  /** Whether a turn runs in the session, whoever began it. */
  private runsInSession = false;
  /** For each message of this conversation without an answer, a promise for the end of its turn, by the message's id. */
  private readonly awaited = new Map<string, Promise<void>>();
  /** Text of this conversation's messages in the queue, by id. */
  private readonly queued = new Map<string, string>();
  /** Ids of messages that are being taken out of the queue: the end of their turn is not printed. */
  private readonly takenBack = new Set<string>();
  /** The id of the last event of the turn whose end was printed last. */
  private printed: string | null = null;

  /** `onEnd` is called after each turn. */
  constructor(client: Client, screen: Screen, onEnd: () => void) {
    this.client = client;
    this.screen = screen;
    this.onEnd = onEnd;
  }

  /** Whether a turn answers a message of this conversation, or only messages of others. */
  get running(): "own" | "others" | "none" {
    const isOwn = (id: string) => !this.queued.has(id) && !this.takenBack.has(id);
    if ([...this.awaited.keys()].some(isOwn)) return "own";
    return this.runsInSession || this.queued.size > 0 ? "others" : "none";
  }

  /** Whether the conversation waits for answers. */
  get awaitsAny(): boolean {
    return this.awaited.size > 0;
  }

  /** Called for each event of the session. */
  hear({ event }: Delivered): void {
    if (event.type === "runtime_start") this.runsInSession = true;
    else if (event.type === "runtime_end") {
      this.runsInSession = false;
      this.onEnd();
    } else if (isEvent(event, "message")) {
      const { message } = event;
      const { queueItemId } = (message.role === "user" && message.meta) || {};
      if (queueItemId !== undefined) this.queued.delete(queueItemId);
    }
  }

  /** Sets whether a turn runs, after events were missed or another session is shown. */
  nowRunning(running: boolean): void {
    this.runsInSession = running;
  }

  /** Waits for the turn that answers a message and prints its end. `queued` is the text of a queued message. */
  await(sessionId: string, id: string, queued?: string): void {
    if (queued !== undefined) this.queued.set(id, queued);
    const turn = this.follow(sessionId, id).finally(() => {
      this.queued.delete(id);
      this.awaited.delete(id);
      this.onEnd();
    });
    this.awaited.set(id, turn);
  }

  /** Waits for other work that this conversation has begun, such as a shell line. */
  awaitWork(id: string, work: Promise<void>): void {
    const done = work.finally(() => {
      this.awaited.delete(id);
      this.onEnd();
    });
    this.awaited.set(id, done);
  }

  /** Waits for a turn and prints its end. Several queued messages may share one turn, whose end is printed only once. */
  private async follow(sessionId: string, id: string): Promise<void> {
    const outcome = await this.client.request("wait_turn", { sessionId, id });
    if (this.takenBack.delete(id)) return;
    await this.client.drained(sessionId);
    if (outcome.leafId !== null && outcome.leafId === this.printed) return;
    this.printed = outcome.leafId;
    if (outcome.reason === "error") this.failed++;
    await this.screen.turn(outcome);
  }

  /** Removes this conversation's messages from the queue. Returns their text; undefined when there was none. */
  async takeBack(sessionId: string): Promise<string | undefined> {
    const wanted = new Map(this.queued);
    if (wanted.size === 0) return undefined;
    for (const id of wanted.keys()) this.takenBack.add(id);
    const taken = new Set<string>();
    try {
      const items = await takeBackQueued(this.client, sessionId, ({ id }) => wanted.has(id));
      for (const { id } of items) {
        taken.add(id);
        this.queued.delete(id);
      }
    } finally {
      for (const id of wanted.keys()) if (!taken.has(id)) this.takenBack.delete(id);
    }
    const texts = [...wanted].flatMap(([id, text]) => (taken.has(id) ? text : []));
    const separator = texts.some((text) => text.includes("\n")) ? "\n" : " ";
    return texts.length > 0 ? texts.join(separator) : undefined;
  }

  /** Resolves when no turn is awaited. Rejects when one could not be followed. */
  async ended(): Promise<void> {
    while (this.awaited.size > 0) await Promise.all(this.awaited.values());
  }
}
