import type { Client } from "@scorel/host/contract";
import type { Screen } from "./screen.ts";

/** The turns that a conversation waits for, and the messages that are queued behind them. */
export class Turns {
  /** Number of turns that ended in an error. */
  failed = 0;
  private readonly client: Client;
  private readonly screen: Screen;
  private readonly onEnd: () => void;
  private readonly running = new Set<Promise<void>>();
  /** Text of the queued messages, by id. */
  private readonly queued = new Map<string, string>();
  /** The last event of the turn whose end was printed last. */
  private printed: string | null = null;

  /** `onEnd` is called after each turn. */
  constructor(client: Client, screen: Screen, onEnd: () => void) {
    this.client = client;
    this.screen = screen;
    this.onEnd = onEnd;
  }

  get any(): boolean {
    return this.running.size > 0;
  }

  /** Waits for the turn that answers a message and prints its end. `queued` is the text of a queued message. */
  await(sessionId: string, id: string, queued?: string): void {
    if (queued !== undefined) this.queued.set(id, queued);
    const turn = this.follow(sessionId, id, queued !== undefined).finally(() => {
      this.running.delete(turn);
      this.onEnd();
    });
    this.running.add(turn);
  }

  /** Several queued messages may share one turn, whose end is printed once. */
  private async follow(sessionId: string, id: string, queued: boolean): Promise<void> {
    const outcome = await this.client.request("wait_turn", { sessionId, id });
    if (queued && !this.queued.delete(id)) return;
    await this.client.drained(sessionId);
    if (outcome.leafId !== null && outcome.leafId === this.printed) return;
    this.printed = outcome.leafId;
    if (outcome.reason === "error") this.failed++;
    await this.screen.turn(outcome);
  }

  /** Removes the queued messages from the queue. Returns their text; undefined when there was none. */
  async takeBack(sessionId: string): Promise<string | undefined> {
    if (this.queued.size === 0) return undefined;
    const texts = [...this.queued.values()];
    this.queued.clear();
    await this.client.request("rewrite_queue", { sessionId, items: [] });
    return texts.join(" ");
  }

  /** Resolves when no turn runs. Rejects when one could not be followed. */
  async ended(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}
