import type { Conversation } from "./conversation.ts";
import type { Looks } from "./looks.ts";
import type { Transcript } from "./transcript.ts";

/** Lines of a page that stay in view when one scrolls by pages. */
const REST = 10;
/**
 * The fewest stored events that are loaded at once on the way to the beginning. Otherwise as many as there are, since the conversation is made
 * anew with what comes before it.
 */
const STEP = 1_000;

interface ReaderParts {
  transcript: Pick<Transcript, "scroll" | "toStart" | "toEnd">;
  looks: Pick<Looks, "look">;
  conversation: Pick<Conversation, "view" | "earlier">;
  rows(): number;
  attempt(work: () => Promise<unknown>): void;
  redraw(): void;
}

/** Scrolls in the conversation, and loads earlier messages when the first one that is loaded is reached. */
export class Reader {
  private readonly parts: ReaderParts;
  private isLoading = false;
  private goesBack = false;

  constructor(parts: ReaderParts) {
    this.parts = parts;
  }

  /** Whether it is on its way to the beginning, for which earlier messages are being loaded. */
  get isGoingBack(): boolean {
    return this.goesBack;
  }

  /** Scrolls by lines, up when negative. */
  scroll(by: number): void {
    const { transcript, looks, redraw } = this.parts;
    this.stop();
    if (transcript.scroll(by, looks.look) && by < 0) this.loadEarlier();
    redraw();
  }

  /** Scrolls by pages. */
  page(by: number): void {
    this.scroll(by * Math.max(1, this.parts.rows() - REST));
  }

  /** Goes to the very beginning, however much has to be loaded for it. */
  toStart(): void {
    const { transcript, looks, conversation, redraw } = this.parts;
    transcript.toStart(looks.look);
    this.goesBack = conversation.view?.more === true;
    this.loadEarlier();
    redraw();
  }

  toEnd(): void {
    this.stop();
    this.parts.transcript.toEnd();
    this.parts.redraw();
  }

  /** Stays at what was loaded on the way to the beginning. Returns false when it is not on it. */
  stop(): boolean {
    const wasGoing = this.goesBack;
    this.goesBack = false;
    return wasGoing;
  }

  private loadEarlier(): void {
    const { conversation, attempt, redraw } = this.parts;
    if (this.isLoading || !conversation.view?.more) return;
    this.isLoading = true;
    attempt(async () => {
      try {
        await this.load();
      } finally {
        this.isLoading = false;
        this.goesBack = false;
        redraw();
      }
    });
  }

  /** Loads some earlier messages; on the way to the beginning, all of them. */
  private async load(): Promise<void> {
    const { conversation, transcript, looks, redraw } = this.parts;
    const { view } = conversation;
    do {
      await conversation.earlier(this.goesBack ? Math.max(STEP, view?.events.length ?? 0) : undefined);
      // Another session may be shown meanwhile.
      if (!this.goesBack || conversation.view !== view) return;
      transcript.toStart(looks.look);
      redraw();
    } while (view?.more);
  }
}
