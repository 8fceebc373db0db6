import type { AnyEvent } from "@scorel/kernel";
import type { SessionGlance } from "../contract.ts";
import { glanceOf } from "../sessions/glance.ts";
import type { OpenSession, StatusWatch } from "../sessions/open-session.ts";
import { readSpent } from "../sessions/spent.ts";

/** Events after which a part of the status may be another one. */
const MAY_CHANGE = new Set([
  ...["message", "custom_message", "custom", "compact", "session_info", "permission_mode", "rewind", "branch"],
  ...["runtime_start", "runtime_end"],
]);

/** Announces changes of a session's status, as long as a client follows it. */
export class StatusChanges implements StatusWatch {
  private readonly session: () => OpenSession;
  /** What was told last. */
  private told: SessionGlance | undefined;

  constructor(session: () => OpenSession) {
    this.session = session;
  }

  take({ type }: AnyEvent): void {
    if (MAY_CHANGE.has(type)) this.look();
  }

  look(): void {
    if (this.isFollowed) this.tell();
  }

  begin(): SessionGlance {
    const session = this.session();
    if (this.told) this.tell();
    else {
      this.told = glanceOf(session);
      void readSpent(session.kernel.session).then((isNew) => isNew && this.tell());
    }
    return this.told;
  }

  private get isFollowed(): boolean {
    const { id, users } = this.session();
    for (const { followed } of users) if (followed?.has(id)) return true;
    return false;
  }

  private tell(): void {
    const session = this.session();
    if (session.kernel.session.stopping.aborted) return;
    const now = glanceOf(session);
    const changes = changesBetween(this.told ?? {}, now);
    this.told = now;
    if (changes) session.kernel.session.emit("status_change", { changes });
  }
}

/** The fields that differ, with null for one that is absent now; undefined if none do. */
function changesBetween(before: SessionGlance, now: SessionGlance): Record<string, unknown> | undefined {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])] as (keyof SessionGlance)[];
  const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
  return changed.length > 0 ? Object.fromEntries(changed.map((key) => [key, now[key] ?? null])) : undefined;
}
