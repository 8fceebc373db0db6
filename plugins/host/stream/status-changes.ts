import type { AnyEvent, Kernel } from "@scorel/kernel";
import type { SessionGlance } from "../contract.ts";
import { glanceOf } from "../sessions/glance.ts";
import type { OpenSession, StatusWatch } from "../sessions/open-session.ts";
import { readSpent } from "../sessions/spent.ts";

/** Types of events that may change the status. */
const MAY_CHANGE = new Set([
  ...["message", "custom_message", "custom", "compact", "session_info", "permission_mode", "rewind", "branch"],
  ...["runtime_start", "runtime_end"],
]);

/** Announces changes of a session's status while at least one client follows it. */
export class StatusChanges implements StatusWatch {
  private readonly session: () => OpenSession;
  /** The status as it was last announced. */
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
      void this.addOldUsage(session.kernel);
    }
    return this.told;
  }

  /** Announces the usage of a long log when it has been read. The status does without it if that fails, which is reported. */
  private async addOldUsage(kernel: Kernel): Promise<void> {
    const where = "reading a session's usage for its status";
    await kernel.attempt({ plugin: "host", where, otherwise: undefined, limit: false }, async () => {
      if (await readSpent(kernel.session)) this.tell();
    });
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

/** The fields that differ, with null for removed ones; undefined if nothing has changed. */
function changesBetween(before: SessionGlance, now: SessionGlance): Record<string, unknown> | undefined {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])] as (keyof SessionGlance)[];
  const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
  return changed.length > 0 ? Object.fromEntries(changed.map((key) => [key, now[key] ?? null])) : undefined;
}
