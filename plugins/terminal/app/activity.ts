import type { SessionView, ViewChange } from "@scorel/host/client";

const TICK_MS = 1_000;
/** The user is notified of the end of turns, and questions in turns, that take longer than this. */
const LONG_MS = 10_000;

interface ActivityParts {
  /** Called each second while the session is busy, since the time on the screen has changed. */
  passed(): void;
  /** Called when a long turn ends or asks a question: the user may have looked away. */
  calls(what: "ended" | "asks"): void;
}

/** Follows whether a session is busy. While it is, the elapsed time is redrawn each second; while it is idle, nothing is drawn. */
export class Activity {
  /** When the present activity began, in milliseconds since 1970. */
  since = Date.now();
  private startedAt: number | undefined;
  private asked = 0;
  private tick: NodeJS.Timeout | undefined;
  private readonly parts: ActivityParts;

  constructor(parts: ActivityParts) {
    this.parts = parts;
  }

  /** Called when another session is shown: how long the former one was busy says nothing about it. */
  entered(view: SessionView): void {
    this.end();
    this.startedAt = undefined;
    this.update(view);
  }

  update({ status, live, requests }: SessionView, change?: ViewChange): void {
    if (change?.kind === "live" && live.length === 0) this.since = Date.now();
    const isWorking = status.running || status.compacting === true || live.length > 0;
    this.watch(isWorking || status.connection === "reconnecting");
    this.call(status.running, requests.length);
  }

  end(): void {
    clearInterval(this.tick);
    this.tick = undefined;
  }

  private watch(isBusy: boolean): void {
    if (isBusy === (this.tick !== undefined)) return;
    this.end();
    this.since = Date.now();
    if (isBusy) this.tick = setInterval(() => this.parts.passed(), TICK_MS);
  }

  private call(isRunning: boolean, asked: number): void {
    const now = Date.now();
    const isLong = this.startedAt !== undefined && now - this.startedAt > LONG_MS;
    if (isLong && (!isRunning || asked > this.asked)) this.parts.calls(asked > this.asked ? "asks" : "ended");
    this.asked = asked;
    this.startedAt = isRunning ? (this.startedAt ?? now) : undefined;
  }
}
