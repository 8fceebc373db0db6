/** Why something is not sent: the line was changed, a file could not be added, or the line was submitted once more. */
type Withheld = "changed" | "refused" | "again";

/** The entry that was submitted from a field and is not sent yet, because files are being read or the page is connecting to the host. */
export class Submitting {
  private end: ((withheld: Withheld) => void) | undefined;

  /** Resolves with `undefined` when `ready` resolves, or with a reason for which what was submitted is not sent. */
  async wait(ready: Promise<unknown>): Promise<Withheld | undefined> {
    this.withhold("again");
    const ended = new Promise<Withheld>((resolve) => {
      this.end = resolve;
    });
    const { end } = this;
    try {
      return await Promise.race([ready.then(() => undefined), ended]);
    } finally {
      if (this.end === end) this.end = undefined;
    }
  }

  /** Sends nothing of what waits. */
  withhold(reason: Withheld): void {
    this.end?.(reason);
  }
}
