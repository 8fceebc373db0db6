import type { Attachment } from "../parts.ts";

/** The files and pictures attached to the message that is being written. An attachment whose mark is deleted from the text is not sent. */
export class Attachments {
  /** All of them, also those whose marks were deleted: undo brings these back. */
  all: readonly Attachment[] = [];

  add(attachment: Attachment): void {
    this.all = [...this.all.filter(({ mark }) => mark !== attachment.mark), attachment];
  }

  /** Replaces all of them. Returns whether there are any, or were before. */
  replace(all: readonly Attachment[]): boolean {
    const hadAny = this.all.length > 0;
    this.all = all;
    return hadAny || all.length > 0;
  }

  /** The attachments whose marks are in the text, in the order of the marks. */
  in(text: string): Attachment[] {
    const place = ({ mark }: Attachment) => text.indexOf(mark);
    return this.all.filter((each) => place(each) >= 0).sort((a, b) => place(a) - place(b));
  }
}
