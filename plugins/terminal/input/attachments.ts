import type { Attachment } from "../parts.ts";

/** The files and pictures attached to the message that is being written. An attachment whose mark is deleted from the text is not sent. */
export class Attachments {
  private all: Attachment[] = [];

  add(attachment: Attachment): void {
    this.all.push(attachment);
  }

  /** The attachments whose marks are in the text. */
  in(text: string): Attachment[] {
    return this.all.filter(({ mark }) => text.includes(mark));
  }

  clear(): void {
    this.all = [];
  }
}
