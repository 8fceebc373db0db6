import type { OpenRequest } from "@scorel/host/client";
import type { Keys } from "../keys.ts";
import type { Field } from "../parts.ts";
import type { Words } from "../words/words.ts";
import { type Answer, Question } from "./question.ts";

/** Keys that are pressed sooner after others were typed belong to what is being typed, and answer nothing. */
const TYPING_MS = 600;
/** A question has to be on the screen for so long before a key answers it. */
const SEEN_MS = 250;
/** The same for a question that takes the place of one that was withdrawn: what is pressed may be meant for that one. */
const SWAPPED_MS = 1_500;
/** A question that comes so soon after one was withdrawn takes its place. */
const SWAP_MS = 10_000;

interface QuestionsParts {
  words: Words;
  give(requestId: string, answer: Answer): void;
  field(): Pick<Field, "text" | "setText"> | undefined;
  now?: () => number;
}

/** The open questions of the session: the oldest is shown, and a key answers it. */
export class Questions {
  shown: Question | undefined;
  others = 0;
  private readonly parts: QuestionsParts;
  private readonly now: () => number;
  private typedAt = Number.NEGATIVE_INFINITY;
  private shownAt = 0;
  private withdrawnAt = Number.NEGATIVE_INFINITY;
  /** Id of the question that was answered here last. */
  private answered: string | undefined;
  /** What stood in the field before a reason was asked for. */
  private setAside: string | undefined;

  constructor(parts: QuestionsParts) {
    this.parts = parts;
    this.now = parts.now ?? (() => performance.now());
  }

  /** Takes the questions that are open now. */
  update(open: readonly OpenRequest[]): void {
    const [first] = open;
    this.others = Math.max(0, open.length - 1);
    const gone = this.shown?.request.requestId;
    if (gone !== undefined && open.some(({ requestId }) => requestId === gone)) return;
    const now = this.now();
    if (gone !== undefined && gone !== this.answered) this.withdrawnAt = now;
    this.restore();
    this.shown = first && new Question(first, this.parts.words, (answer) => this.give(first.requestId, answer));
    if (!first) return;
    this.shownAt = now;
    if (this.shown) this.shown.isSwapped = now - this.withdrawnAt < SWAP_MS;
  }

  /** The person types: what they type next does not answer. */
  typed(): void {
    this.typedAt = this.now();
  }

  /** Takes a key that answers the question, or moves in it. Returns false if it is to be typed. */
  press(data: string, keys: Keys): boolean {
    const now = this.now();
    if (!this.shown || now - this.typedAt < TYPING_MS || !this.isSeen(now)) return false;
    const isTaken = this.shown.press(data, keys);
    if (isTaken && this.shown?.awaits === "reason") this.clearField();
    return isTaken;
  }

  /** Whether what is sent from the field answers the question. */
  get takesText(): boolean {
    return this.shown !== undefined && this.shown.awaits !== "key";
  }

  /** Answers with what was sent from the field. Returns false if the question has only just come. */
  type(text: string): boolean {
    if (!this.isSeen(this.now())) return false;
    this.shown?.type(text);
    return true;
  }

  /** Esc: takes the wish to say why back, or declines the question. Returns false when there is none. */
  leave(): boolean {
    const { shown } = this;
    if (!shown) return false;
    if (shown.back()) this.restore();
    else this.give(shown.request.requestId, { answer: null });
    return true;
  }

  private isSeen(now: number): boolean {
    return now - this.shownAt >= (this.shown?.isSwapped ? SWAPPED_MS : SEEN_MS);
  }

  private give(requestId: string, answer: Answer): void {
    this.answered = requestId;
    this.withdrawnAt = Number.NEGATIVE_INFINITY;
    this.parts.give(requestId, answer);
  }

  private clearField(): void {
    const field = this.parts.field();
    this.setAside ??= field?.text ?? "";
    field?.setText("");
  }

  private restore(): void {
    if (this.setAside !== undefined) this.parts.field()?.setText(this.setAside);
    this.setAside = undefined;
  }
}
