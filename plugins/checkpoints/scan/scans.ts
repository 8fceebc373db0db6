import { messageOf } from "@scorel/kernel";
import type { CheckpointFile, FileState } from "../contract.ts";
import { type Note, type Notes, uncovered } from "../record/notes.ts";
import { tooLong } from "./clock.ts";
import { contentsOf, type Difference } from "./compare.ts";
import type { ScanContext } from "./scanned-file.ts";
import type { Failure, Survey } from "./survey.ts";

/** Decides when to scan the project for changes made by commands, and who waits for a scan. */
export class Scans {
  private readonly context: ScanContext;
  private readonly survey: Survey;
  private readonly notes: Notes;
  private readonly report: (thrown: unknown) => void;
  /** Whether the survey has the state of the files before the next command. */
  private ready = false;
  /** Why the last scan failed. */
  private failure: Failure | undefined;
  /** Whether a scan has begun in this round. */
  private begun = false;
  /** Whether no scan has begun since the user's last message. */
  private fresh = true;
  private running: Promise<void> | undefined;
  /** Calls that may change anything and whose effects are not recorded yet. */
  private pending: string[] = [];
  /** Those calls of this round that may not have ended. */
  private readonly going = new Set<string>();
  /** The calls whose effects the running scan is to find. */
  private recording: readonly string[] = [];
  /** Milliseconds that the last scan took, and when the running one began (`performance.now()`). */
  private took = 0;
  private since: number | undefined;
  /** Whether a call has waited for a scan until the time limit since the user's last message. */
  private waited = false;
  /**
   * Whether a pending call began without a complete scan before it, so that its changes cannot be distinguished from
   * earlier ones.
   */
  private blind = false;

  constructor(context: ScanContext, survey: Survey, notes: Notes, report: (thrown: unknown) => void) {
    this.context = context;
    this.survey = survey;
    this.notes = notes;
    this.report = report;
  }

  /** Whether the effects of some call are not recorded yet. */
  get hasUnrecorded(): boolean {
    return this.unrecorded.length > 0;
  }

  /** The calls whose effects a running or later scan will find. */
  get unrecorded(): readonly string[] {
    return [...this.recording, ...(this.willFind ? this.pending : [])];
  }

  /** Whether the next scan will find everything that changed since the last one. */
  get willFind(): boolean {
    return this.pending.length > 0 && !this.blind;
  }

  /** Called when a model call begins, so that the last scan may be outdated. */
  round(isFirst: boolean): void {
    this.callsEnded();
    this.begun = false;
    if (isFirst) this.fresh = true;
    if (isFirst) this.waited = false;
  }

  /** Called when all calls that began have ended. */
  callsEnded(): void {
    this.going.clear();
  }

  /**
   * Scans while the model answers: after a command, to find its effects, and once after each message of the user. After rounds
   * that only read, the next command that may write starts the scan.
   */
  async duringModelCall(): Promise<void> {
    if (!this.begun && (this.fresh || this.pending.length > 0)) await this.begin();
  }

  /**
   * Starts a due scan without waiting for it. The later it runs, the more of the user's own changes are attributed to a
   * command.
   */
  beforeReading(): void {
    if (!this.begun && this.pending.length > 0) void this.begin();
  }

  /** Makes a call that may change anything wait for the scan. */
  async beforeUnknownWrites(id: string): Promise<void> {
    const isOver = await this.completed();
    this.pending.push(id);
    this.going.add(id);
    if (isOver && this.ready) return;
    this.blind = true;
    const reason = isOver ? (this.failure?.reason ?? "it could not be scanned") : tooLong(this.context.maxScanMs);
    await this.notes.write({ calls: [id], files: [], notCovered: [{ path: ".", reason }] });
  }

  /**
   * Waits for this round's scan, for at most `maxScanMs` milliseconds. Returns whether the scan has finished. If scans
   * take longer, only the first call of a turn waits for so long.
   */
  async completed(): Promise<boolean> {
    const running = this.begun ? this.running : this.begin();
    if (!running) return true;
    const { maxScanMs } = this.context;
    const runs = this.since === undefined ? 0 : performance.now() - this.since;
    const isHopeless = this.waited && Math.max(this.took, runs) > maxScanMs;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), isHopeless ? 0 : maxScanMs);
    });
    const done = await Promise.race([running.then(() => true), late]);
    clearTimeout(timer);
    this.waited ||= !done;
    return done;
  }

  /** Resolves when no scan runs. */
  async ended(): Promise<void> {
    while (this.running) await this.running;
  }

  /** Resolves when the changes of commands are recorded, as far as they can be. */
  async settle(): Promise<void> {
    if (this.recording.length > 0) await this.running;
    if (this.willFind) await this.begin();
  }

  /** Starts this round's scan. */
  private begin(): Promise<void> {
    this.begun = true;
    const before = this.running ?? Promise.resolve();
    const running: Promise<void> = before
      .then(() => this.scanNow())
      .catch(this.report)
      .finally(() => {
        this.recording = [];
        if (this.running === running) this.running = undefined;
      });
    this.running = running;
    return running;
  }

  private async scanNow(): Promise<void> {
    const calls = this.pending;
    // A client asked for the changes meanwhile; what these calls still change is left to another scan.
    this.pending = calls.filter((id) => this.going.has(id));
    if (this.pending.length > 0) this.begun = false;
    const { ready, blind } = this;
    this.recording = ready && !blind ? calls : [];
    this.blind = false;
    this.since = performance.now();
    const seen = await this.rescan();
    this.took = performance.now() - this.since;
    this.since = undefined;
    this.failure = "reason" in seen ? seen : undefined;
    // A call that began during the scan may have changed what it saw.
    this.ready = !this.failure && !this.blind;
    if (this.recording.length > 0) await this.notes.write({ calls, ...(await this.effects(seen)) });
  }

  /** After exceeding a limit, scans again only after the user's next message. */
  private async rescan(): Promise<Difference | Failure> {
    if (this.failure?.hopeless && !this.fresh) return this.failure;
    this.fresh = false;
    return this.survey.scan();
  }

  private async effects(seen: Difference | Failure): Promise<Omit<Note, "calls">> {
    const unknown = (reason: string) => ({ files: [], notCovered: [{ path: ".", reason }] });
    if ("reason" in seen) return unknown(seen.reason);
    try {
      const { files, notCovered } = await contentsOf(this.context, seen);
      return { files, notCovered: [...notCovered, ...uncovered(files.flatMap(statesOf))] };
    } catch (thrown) {
      return unknown(messageOf(thrown));
    }
  }
}

function statesOf({ path, before, after }: CheckpointFile): [string, FileState][] {
  return [before, after].flatMap((state): [string, FileState][] => (state ? [[path, state]] : []));
}
