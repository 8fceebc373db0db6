import type { Context } from "../context.ts";
import type { CheckpointFile, FileState, NotCovered } from "../contract.ts";
import { KIND } from "./state.ts";

/** Why the changes of the last commands are not covered if the session closes before the scan for them ends. */
export const CLOSED = "the session closed before the changes of the last commands were recorded";

/** The contents of a checkpoint for some calls. */
export interface Note {
  calls: readonly string[];
  files: readonly CheckpointFile[];
  notCovered: readonly NotCovered[];
}

/** Writes checkpoints to the session's log, and warns the user about what they do not cover. */
export class Notes {
  private readonly ctx: Context;
  /** Reasons that the user was already warned about. */
  private readonly told = new Set<string>();
  /** Calls in `pending` notes, which need another note even if they have changed nothing. */
  private readonly pending = new Set<string>();

  constructor(ctx: Context) {
    this.ctx = ctx;
  }

  async write(note: Note): Promise<void> {
    const isAwaited = note.calls.some((call) => this.pending.delete(call));
    if (note.files.length === 0 && note.notCovered.length === 0 && !isAwaited) return;
    for (const { path, reason } of note.notCovered) if (path === ".") this.tell(reason);
    await this.ctx.session.append("custom", { kind: KIND, data: { v: 1, hidden: true, ...note } });
  }

  /**
   * Notes that the changes of these calls are not recorded yet, in case the process ends before they are. Later checkpoints of the calls
   * replace this one.
   */
  async writePending(calls: readonly string[]): Promise<void> {
    for (const call of calls) this.pending.add(call);
    const notCovered = [{ path: ".", reason: CLOSED }];
    const data = { v: 1, hidden: true, calls, files: [], notCovered, pending: true };
    await this.ctx.session.append("custom", { kind: KIND, data });
  }

  /** Warns once per reason, so that the user can back up what is not covered. */
  private tell(reason: string): void {
    if (this.told.has(reason)) return;
    this.told.add(reason);
    this.ctx
      .find("ui")
      ?.notify(`Changes made by commands cannot be undone completely: ${reason.replace(/\.$/, "")}.`, "warning");
  }
}

/** The files whose content was not stored, with reasons. */
export function uncovered(states: readonly (readonly [path: string, state: FileState])[]): NotCovered[] {
  return states.flatMap(([path, state]) => (state.kind === "uncovered" ? [{ path, reason: state.reason }] : []));
}
