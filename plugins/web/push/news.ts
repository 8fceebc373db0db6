import type { SessionChange, SessionSummary } from "@scorel/host/contract";

/** Milliseconds to wait before a push. A question that is answered within this time needs no push. */
export const DELAY_MS = 5_000;
/** Milliseconds from which a turn is so long that people do not watch it to its end. */
export const LONG_TURN_MS = 60_000;

interface Heard {
  /** These sessions wait for an answer, or their long turn has ended. */
  come(sessions: ReadonlySet<string>): void;
  /** There is nothing new in a session any more. */
  gone(session: string): void;
}

/** Selects from the changes of sessions what people are told about: questions, and the end of long turns. */
export class News {
  private readonly heard: Heard;
  private readonly begun = new Map<string, number>();
  /** Sessions whose turn may have ended unnoticed. If they begin a turn, it counts from then. */
  private readonly unsure = new Set<string>();
  /** The sessions that people are about to be told of, each with its own wait: the one that began the wait of all may be settled. */
  private readonly due = new Map<string, NodeJS.Timeout>();

  constructor(heard: Heard) {
    this.heard = heard;
  }

  take(change: SessionChange): void {
    if (change.change === "missed") {
      for (const sessionId of this.begun.keys()) this.unsure.add(sessionId);
      return;
    }
    const { sessionId } = change.session;
    if (change.change === "asking") this.add(sessionId);
    else if (change.change === "idle") this.end(change.session);
    else if (change.change === "running" || change.change === "deleted") this.settle(sessionId);
    else if (change.change === "answered" && !change.session.questions?.length) this.settle(sessionId);
    if (change.change === "running") this.begin(sessionId);
  }

  close(): void {
    for (const sessionId of [...this.due.keys()]) this.drop(sessionId);
  }

  /** A running turn is announced again when it goes on after a wait. */
  private begin(sessionId: string): void {
    const isNew = !this.begun.has(sessionId) || this.unsure.has(sessionId);
    this.unsure.delete(sessionId);
    if (isNew) this.begun.set(sessionId, Date.now());
  }

  /** Turns of a session with a parent do not count, since they are part of the parent's work. */
  private end({ sessionId, parent }: SessionSummary): void {
    const began = this.begun.get(sessionId) ?? Date.now();
    this.begun.delete(sessionId);
    this.unsure.delete(sessionId);
    if (parent === undefined && Date.now() - began >= LONG_TURN_MS) this.add(sessionId);
  }

  private add(sessionId: string): void {
    if (!this.due.has(sessionId)) this.due.set(sessionId, setTimeout(() => this.tell(), DELAY_MS).unref());
  }

  private settle(sessionId: string): void {
    this.drop(sessionId);
    this.heard.gone(sessionId);
  }

  private drop(sessionId: string): void {
    clearTimeout(this.due.get(sessionId));
    this.due.delete(sessionId);
  }

  /** Tells of all that is due, as soon as the wait of one is over. */
  private tell(): void {
    const told = new Set(this.due.keys());
    this.close();
    this.heard.come(told);
  }
}
