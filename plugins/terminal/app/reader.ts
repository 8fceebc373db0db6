import type { Looks } from "./looks.ts";
import type { ShownSession } from "./shown-session.ts";
import type { Transcript } from "./transcript.ts";

/** Scrolling by a page moves by the rows of the screen less this number, so that some lines stay in view. */
const REST = 10;
/**
 * The fewest stored events that are loaded at once on the way to the beginning. Each step doubles what is loaded, because every step
 * rebuilds the whole conversation.
 */
const STEP = 1_000;

interface ReaderParts {
  transcript: Pick<Transcript, "scroll" | "toStart" | "toEnd">;
  looks: Pick<Looks, "look">;
  session: Pick<ShownSession, "view" | "earlier">;
  rows(): number;
  attempt(work: () => Promise<unknown>): void;
  redraw(): void;
}

/** Scrolls in the conversation, and loads earlier messages when the first loaded one is reached. */
export class Reader {
  private readonly parts: ReaderParts;
  private isLoading = false;
  private goesBack = false;

  constructor(parts: ReaderParts) {
    this.parts = parts;
  }

  /** Whether earlier messages are being loaded on the way to the beginning. */
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

  /** Goes to the beginning of the session, and loads everything before the first loaded message for that. */
  toStart(): void {
    const { transcript, looks, session, redraw } = this.parts;
    transcript.toStart(looks.look);
    this.goesBack = session.view?.more === true;
    this.loadEarlier();
    redraw();
  }

  toEnd(): void {
    this.stop();
    this.parts.transcript.toEnd();
    this.parts.redraw();
  }

  /** Stops loading on the way to the beginning. Returns false if nothing was being loaded for that. */
  stop(): boolean {
    const wasGoing = this.goesBack;
    this.goesBack = false;
    return wasGoing;
  }

  private loadEarlier(): void {
    const { session, attempt, redraw } = this.parts;
    if (this.isLoading || !session.view?.more) return;
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

  /** Loads some earlier messages, or all of them on the way to the beginning. */
  private async load(): Promise<void> {
    const { session, transcript, looks, redraw } = this.parts;
    const { view } = session;
    do {
      await session.earlier(this.goesBack ? Math.max(STEP, view?.events.length ?? 0) : undefined);
      // Another session may have been entered meanwhile.
      if (!this.goesBack || session.view !== view) return;
      transcript.toStart(looks.look);
      redraw();
    } while (view?.more);
  }
}
