import type { Conversation } from "./conversation.ts";
import type { Looks } from "./looks.ts";
import type { Transcript } from "./transcript.ts";

/** Lines of a page that stay in view when one scrolls by pages. */
const REST = 10;

interface ReaderParts {
  transcript: Transcript;
  looks: Looks;
  conversation: Conversation;
  rows(): number;
  attempt(work: () => Promise<unknown>): void;
  redraw(): void;
}

/** Scrolls in the conversation, and loads earlier messages when its beginning is reached. */
export class Reader {
  private readonly parts: ReaderParts;
  private isLoading = false;

  constructor(parts: ReaderParts) {
    this.parts = parts;
  }

  /** Scrolls by lines, up when negative. */
  scroll(by: number): void {
    const { transcript, looks, redraw } = this.parts;
    if (transcript.scroll(by, looks.look) && by < 0) this.loadEarlier();
    redraw();
  }

  /** Scrolls by pages. */
  page(by: number): void {
    this.scroll(by * Math.max(1, this.parts.rows() - REST));
  }

  toStart(): void {
    this.parts.transcript.toStart(this.parts.looks.look);
    this.loadEarlier();
    this.parts.redraw();
  }

  toEnd(): void {
    this.parts.transcript.toEnd();
    this.parts.redraw();
  }

  private loadEarlier(): void {
    const { conversation, attempt, redraw } = this.parts;
    if (this.isLoading || !conversation.view?.more) return;
    this.isLoading = true;
    attempt(async () => {
      try {
        await conversation.earlier();
      } finally {
        this.isLoading = false;
        redraw();
      }
    });
  }
}
