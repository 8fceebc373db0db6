/** The first bytes of a text stream, up to a limit, cut between characters. */
export class TextHead {
  private readonly most: number;
  private text = "";
  private bytes = 0;
  truncated = false;

  constructor(most: number) {
    this.most = most;
  }

  write(text: string): void {
    if (this.truncated) return;
    const bytes = Buffer.byteLength(text);
    if (this.bytes + bytes <= this.most) {
      this.text += text;
      this.bytes += bytes;
      return;
    }
    this.truncated = true;
    const room = Buffer.from(text).subarray(0, this.most - this.bytes);
    this.text += new TextDecoder().decode(room, { stream: true });
  }

  toString(): string {
    return this.text;
  }
}
