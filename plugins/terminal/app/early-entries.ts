import { markOf } from "../input/line-mode.ts";
import type { Submission } from "../parts.ts";

type Running = "follow_up" | "steer";
type Enter = (submission: Submission, running: Running) => void;

/** What is entered while the session is being opened. It is done once that is open, in the same order. */
export class EarlyEntries {
  /** Whether the session begins with a message, as soon as it is open. */
  hasMessage = false;
  private held: { submission: Submission; running: Running }[] | undefined = [];

  /** Returns false when the session is open, and nothing has to wait. */
  hold(submission: Submission, running: Running): boolean {
    if (!this.held) return false;
    this.held.push({ submission, running });
    this.hasMessage ||= submission.mode === "message";
    return true;
  }

  /** The session is open. */
  release(enter: Enter): void {
    const held = this.takeAll();
    this.held = undefined;
    for (const { submission, running } of held) enter(submission, running);
  }

  /** The session could not be opened: what waits for it, as one text. */
  takeBack(): string {
    const texts = this.takeAll().map(({ submission: { mode, silent, text } }) => markOf(mode, silent) + text);
    return texts.join("\n\n");
  }

  private takeAll() {
    this.hasMessage = false;
    return this.held?.splice(0) ?? [];
  }
}
