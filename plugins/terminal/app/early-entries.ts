import { type Entered, joined } from "../input/line-mode.ts";
import type { Submission } from "../parts.ts";

type Running = "follow_up" | "steer";
type Enter = (submission: Submission, running: Running) => void;

/** Holds what is entered while the session is being opened. It is run and sent once the session is open, in the same order. */
export class EarlyEntries {
  /** Whether a message is to be sent as soon as the session is open. */
  hasMessage = false;
  private held: { submission: Submission; running: Running }[] | undefined = [];

  /** Holds a submission. Returns false when the session is open already, so that nothing has to wait. */
  hold(submission: Submission, running: Running): boolean {
    if (!this.held) return false;
    this.held.push({ submission, running });
    this.hasMessage ||= submission.mode === "message";
    return true;
  }

  /** Passes all held submissions to `enter`, once the session is open. */
  release(enter: Enter): void {
    const held = this.takeAll();
    this.held = undefined;
    for (const { submission, running } of held) enter(submission, running);
  }

  /** Takes out all held submissions and returns them as one entry, when the session could not be opened. */
  takeBack(): Entered {
    return joined(this.takeAll().map(({ submission }) => submission));
  }

  private takeAll() {
    this.hasMessage = false;
    return this.held?.splice(0) ?? [];
  }
}
