import type { SessionView, ViewChange } from "@scorel/host/client";

const TICK_MS = 1_000;
/** A person is called when a turn that took longer ends. */
const LONG_MS = 10_000;

interface ActivityParts {
  /** The time that is shown has changed. */
  passed(): void;
  /** Somebody may have looked away: a long turn has ended, or asks something. */
  calls(what: "ended" | "asks"): void;
}

/** Follows what a session does. While something goes on, its time is drawn anew each second; while nothing does, nothing is drawn. */
export class Activity {
  /** When what goes on began. */
  since = Date.now();
  private startedAt: number | undefined;
  private asked = 0;
  private tick: NodeJS.Timeout | undefined;
  private readonly parts: ActivityParts;

  constructor(parts: ActivityParts) {
    this.parts = parts;
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
