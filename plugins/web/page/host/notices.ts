import { damageIn, type ViewChange, Warnings } from "@scorel/host/client";
import type { SessionStatus } from "@scorel/host/contract";
import { Store } from "../store.ts";

/** A message about a session that is not part of its conversation. */
export interface Notice {
  /** Identifies the notice. */
  id: number;
  text: string;
  level: "info" | "warning" | "error";
  /** Whether it tells how a turn has ended. The next turn removes it. */
  isOfTurn?: boolean;
}

/** Events that are shown as a line of its own, which disappears by itself (chat/presence.tsx). */
const PRESENCE = new Set(["client_joined", "client_left"]);

/** Most notices that are kept. Older ones are dropped. */
const MOST = 50;

/** Notices from a host and its plugins about a session: failures, things left out, and damage in its log. */
export class Notices {
  readonly shown = new Store<readonly Notice[]>([]);
  private readonly warnings = new Warnings();
  private last = 0;
  private wasRunning = false;

  /** Adds what was found when the session was opened. */
  opened(status: Pick<SessionStatus, "sessionId" | "notices" | "problems">): void {
    for (const text of [...this.warnings.untold(status.notices), ...damageIn(status)]) this.warn(text);
  }

  /** Adds transient events, which are not stored in the session. `running`: whether a turn runs. */
  hear(change: ViewChange, running: boolean): void {
    if (running && !this.wasRunning) this.shown.set(this.shown.get().filter(({ isOfTurn }) => !isOfTurn));
    this.wasRunning = running;
    if (change.kind !== "passing" || PRESENCE.has(change.delivered.event.type)) return;
    const { event, display } = change.delivered;
    const warning = this.warnings.heard(event);
    if (warning !== undefined) this.warn(warning);
    else if (event.type !== "plugin_failure" && display.display === "notice")
      this.add(display.text, display.level, event.type === "turn_error");
  }

  clear(): void {
    this.shown.set([]);
  }

  private warn(text: string): void {
    this.add(text.replace(/^warning: /, ""), "warning");
  }

  private add(text: string, level: Notice["level"], isOfTurn = false): void {
    this.last++;
    this.shown.set([...this.shown.get(), { id: this.last, text, level, isOfTurn }].slice(-MOST));
  }
}
