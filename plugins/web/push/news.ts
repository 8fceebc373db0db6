import type { SessionChange, SessionSummary } from "@scorel/host/contract";

/** A question that is answered before that needs nobody else, in milliseconds. */
export const DELAY_MS = 5_000;
/** From this on, a turn is one that people do not watch to its end. */
export const LONG_TURN_MS = 60_000;

interface Heard {
  /** Sessions that wait for an answer, or whose long turn has ended. */
  come(sessions: ReadonlySet<string>): void;
  /** Nothing is new in a session any more. */
  gone(session: string): void;
}

/** What is worth telling of the changes of sessions: questions, and long turns that have ended. */
export class News {
  private readonly heard: Heard;
  private readonly begun = new Map<string, number>();
  private readonly due = new Set<string>();
  private waiting: NodeJS.Timeout | undefined;

  constructor(heard: Heard) {
    this.heard = heard;
  }

  take(change: SessionChange): void {
    if (change.change === "missed") return;
    const { sessionId } = change.session;
    if (change.change === "asking") this.add(sessionId);
    else if (change.change === "idle") this.end(change.session);
    else if (change.change === "running" || change.change === "deleted") this.settle(sessionId);
    else if (change.change === "answered" && !change.session.questions?.length) this.settle(sessionId);
    if (change.change === "running" && !this.begun.has(sessionId)) this.begun.set(sessionId, Date.now());
  }

  close(): void {
    clearTimeout(this.waiting);
    this.due.clear();
  }

  /** Turns of sessions that belong to another one are parts of its work. */
  private end({ sessionId, parent }: SessionSummary): void {
    const began = this.begun.get(sessionId) ?? Date.now();
    this.begun.delete(sessionId);
    if (parent === undefined && Date.now() - began >= LONG_TURN_MS) this.add(sessionId);
  }

  private add(sessionId: string): void {
    this.due.add(sessionId);
    this.waiting ??= setTimeout(() => this.tell(), DELAY_MS).unref();
  }

  private settle(sessionId: string): void {
    this.due.delete(sessionId);
    this.heard.gone(sessionId);
  }

  private tell(): void {
    this.waiting = undefined;
    const told = new Set(this.due);
    this.due.clear();
    if (told.size > 0) this.heard.come(told);
  }
}
