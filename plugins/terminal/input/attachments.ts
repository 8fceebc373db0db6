import type { Attachment } from "../parts.ts";

/** The files and pictures of the message that is being written. One whose mark is deleted from the text does not go with it. */
export class Attachments {
  private all: Attachment[] = [];

  add(attachment: Attachment): void {
    this.all.push(attachment);
  }

  /** Those that a text still names. */
  in(text: string): Attachment[] {
    return this.all.filter(({ mark }) => text.includes(mark));
  }

  clear(): void {
    this.all = [];
  }
}
