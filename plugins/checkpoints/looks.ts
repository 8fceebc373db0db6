import { messageOf } from "@scorel/kernel";
import { contentsOf, type Difference } from "./compare.ts";
import type { CheckpointFile, FileState } from "./contract.ts";
import { type Note, type Notes, uncovered } from "./notes.ts";
import type { Ground } from "./seen.ts";
import type { Failure, Survey } from "./survey.ts";

/** Decides when the project is looked through for what commands did, and who waits for it. */
export class Looks {
  private readonly ground: Ground;
  private readonly survey: Survey;
  private readonly notes: Notes;
  private readonly report: (thrown: unknown) => void;
  /** The survey knows the files as they were before whatever a command does next. */
  private ready = false;
  /** Why the last look saw nothing. */
  private failure: Failure | undefined;
  /** Whether a look has begun in this round. */
  private begun = false;
  /** No look has begun since the user last spoke. */
  private fresh = true;
  private looking: Promise<void> | undefined;
  /** Calls that may change anything and whose effects are not noted yet. */
  private pending: string[] = [];
  /** The look under way is the one after a call. */
  private owing = false;
  /** One of the pending calls began without a whole look before it: its changes cannot be told from earlier ones. */
  private blind = false;

  constructor(ground: Ground, survey: Survey, notes: Notes, report: (thrown: unknown) => void) {
    this.ground = ground;
    this.survey = survey;
    this.notes = notes;
    this.report = report;
  }

  /** Whether what some call did is not noted yet. */
  get isOwing(): boolean {
    return this.pending.length > 0 || this.owing;
  }

  /** Whether the next look will find all that was changed since the last one. */
  get willFind(): boolean {
    return this.pending.length > 0 && !this.blind;
  }

  /** A model call begins: what the last look saw is no longer what is there. */
  round(isFirst: boolean): void {
    this.begun = false;
    if (isFirst) this.fresh = true;
  }

  /**
   * Looks while the model speaks: after a command, to find what it did, and once when the user has spoken. After rounds that only
   * read, the next command that may write asks for the look itself.
   */
  async whileModelSpeaks(): Promise<void> {
    if (!this.begun && (this.fresh || this.pending.length > 0)) await this.begin();
  }

  /** Nobody waits, but the look that is due begins: the later it is, the more of a user's work it takes for a command's. */
  beforeReading(): void {
    if (!this.begun && this.pending.length > 0) void this.begin();
  }

  /** A call that may change anything waits for the look. */
  async beforeAnything(id: string): Promise<void> {
    const isOver = await this.looked();
    this.pending.push(id);
    if (isOver && this.ready) return;
    this.blind = true;
    const reason = isOver
      ? (this.failure?.reason ?? "it could not be looked through")
      : `looking took more than ${this.ground.maxScanMs} ms`;
    await this.notes.write({ calls: [id], files: [], notCovered: [{ path: ".", reason }] });
  }

  /** Waits for this round's look, as long as a call may be kept waiting; answers whether it is over. */
  async looked(): Promise<boolean> {
    const looking = this.begun ? this.looking : this.begin();
    if (!looking) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.ground.maxScanMs);
    });
    const done = await Promise.race([looking.then(() => true), late]);
    clearTimeout(timer);
    return done;
  }

  /** Resolves when all that commands have changed is noted. */
  async settle(): Promise<void> {
    await this.looking;
    if (this.pending.length > 0) await this.begin();
  }

  /** Starts this round's look, once. */
  private begin(): Promise<void> {
    this.begun = true;
    const before = this.looking ?? Promise.resolve();
    const looking: Promise<void> = before
      .then(() => this.lookNow())
      .catch(this.report)
      .finally(() => {
        this.owing = false;
        if (this.looking === looking) this.looking = undefined;
      });
    this.looking = looking;
    return looking;
  }

  private async lookNow(): Promise<void> {
    const calls = this.pending.splice(0);
    const { ready, blind } = this;
    this.owing = calls.length > 0;
    this.blind = false;
    const seen = await this.lookAgain();
    this.failure = "reason" in seen ? seen : undefined;
    // A call that began meanwhile has changed what this look saw.
    this.ready = !this.failure && !this.blind;
    if (calls.length > 0 && ready && !blind) await this.notes.write({ calls, ...(await this.effects(seen)) });
  }

  /** What was too much once is tried again when the user has spoken, not in every round. */
  private async lookAgain(): Promise<Difference | Failure> {
    if (this.failure?.hopeless && !this.fresh) return this.failure;
    this.fresh = false;
    return this.survey.look();
  }

  private async effects(seen: Difference | Failure): Promise<Omit<Note, "calls">> {
    const unknown = (reason: string) => ({ files: [], notCovered: [{ path: ".", reason }] });
    if ("reason" in seen) return unknown(seen.reason);
    try {
      const { files, notCovered } = await contentsOf(this.ground, seen);
      return { files, notCovered: [...notCovered, ...uncovered(files.flatMap(statesOf))] };
    } catch (thrown) {
      return unknown(messageOf(thrown));
    }
  }
}

function statesOf({ path, before, after }: CheckpointFile): [string, FileState][] {
  return [before, after].flatMap((state): [string, FileState][] => (state ? [[path, state]] : []));
}
