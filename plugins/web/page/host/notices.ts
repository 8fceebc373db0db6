import { damageIn, type ViewChange, Warnings } from "@scorel/host/client";
import type { SessionStatus } from "@scorel/host/contract";
import { Store } from "../store.ts";

/** A message about a session that is not part of its conversation. */
export interface Notice {
  /** Identifies the notice. */
  id: number;
  text: string;
  level: "info" | "warning" | "error";
}

/** Most notices that are kept. Older ones are dropped. */
const MOST = 50;

/** Notices from a host and its plugins about a session: failures, things left out, and damage in its log. */
export class Notices {
  readonly shown = new Store<readonly Notice[]>([]);
  private readonly warnings = new Warnings();
  private last = 0;

  /** Adds what was found when the session was opened. */
  opened(status: Pick<SessionStatus, "sessionId" | "notices" | "problems">): void {
    for (const text of [...this.warnings.untold(status.notices), ...damageIn(status)]) this.warn(text);
  }

  /** Adds transient events, which are not stored in the session. */
  hear(change: ViewChange): void {
    if (change.kind !== "passing") return;
    const { event, display } = change.delivered;
    const warning = this.warnings.heard(event);
    if (warning !== undefined) this.warn(warning);
    else if (event.type !== "plugin_failure" && display.display === "notice") this.add(display.text, display.level);
  }

  clear(): void {
    this.shown.set([]);
  }

  private warn(text: string): void {
    this.add(text.replace(/^warning: /, ""), "warning");
  }

  private add(text: string, level: Notice["level"]): void {
    this.last++;
    this.shown.set([...this.shown.get(), { id: this.last, text, level }].slice(-MOST));
  }
}
