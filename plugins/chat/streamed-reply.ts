/**
 * A reply whose text is printed while it arrives. After a lost connection its text is sent again from the start, and parts are missing if
 * this client was too slow. Each part is printed exactly once all the same.
 */
export class StreamedReply {
  private id: string | undefined;
  private printed = "";
  /** The number of characters of the reply that were received since the host began to send it from the start. */
  private position = 0;
  /** Whether text is missing, so that further text cannot be printed before the whole reply is known. */
  private hasGap = false;
  /** Whether events were missed since the reply began. Another reply may have begun in them. */
  private isBehind = false;

  /** Called when a reply begins to arrive, or is sent again from its start. */
  start(id: string): void {
    if (id !== this.id) Object.assign(this, { id, printed: "" });
    Object.assign(this, { position: 0, hasGap: false, isBehind: false });
  }

  /** Called when events were missed. */
  miss(): void {
    this.hasGap = true;
    this.isBehind = true;
  }

  /** Takes arriving text, and returns the part of it that was not printed yet. */
  take(id: string, delta: string): string {
    if (id !== this.id) {
      // The beginning of this reply was missed.
      const { isBehind } = this;
      this.start(id);
      this.hasGap = isBehind;
    }
    const known = this.printed.slice(this.position, this.position + delta.length);
    if (!delta.startsWith(known)) this.hasGap = true;
    if (this.hasGap) return "";
    this.position += delta.length;
    const fresh = delta.slice(known.length);
    this.printed += fresh;
    return fresh;
  }

  /** Returns the part of a finished reply that was not printed yet, given its whole text; undefined for another reply. */
  rest(id: string | undefined, whole: string): string | undefined {
    if (id === undefined || id !== this.id) return undefined;
    const fresh = whole.startsWith(this.printed) ? whole.slice(this.printed.length) : this.hasGap ? `\n${whole}` : "";
    this.printed = whole;
    return fresh;
  }
}
