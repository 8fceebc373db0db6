/**
 * The reply whose text is printed while it arrives. Its text can come again from the start after the connection was lost, and part of
 * it can be missing when this client was too slow: each part is printed once all the same.
 */
export class StreamedReply {
  private id: string | undefined;
  private printed = "";
  /** Characters of it that the host has sent since it began to send it from the start. */
  private position = 0;
  /** Text is missing, so that what follows cannot be printed before the whole reply is known. */
  private hasGap = false;
  /** Events were missed since a reply has begun: another one may have begun among them. */
  private isBehind = false;

  /** A reply begins to arrive, or is sent again from its start. */
  start(id: string): void {
    if (id !== this.id) Object.assign(this, { id, printed: "" });
    Object.assign(this, { position: 0, hasGap: false, isBehind: false });
  }

  /** Events were missed. */
  miss(): void {
    this.hasGap = true;
    this.isBehind = true;
  }

  /** Takes arriving text. Returns what of it is not printed yet. */
  take(id: string, delta: string): string {
    if (id !== this.id) {
      // Its beginning was missed, too.
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

  /** Returns what is not printed yet of a reply that has ended, by its whole text; undefined for another reply. */
  rest(id: string | undefined, whole: string): string | undefined {
    if (id === undefined || id !== this.id) return undefined;
    const fresh = whole.startsWith(this.printed) ? whole.slice(this.printed.length) : this.hasGap ? `\n${whole}` : "";
    this.printed = whole;
    return fresh;
  }
}
