import type { OpenRequest } from "@scorel/host/client";
import { type Entered, enteredIn, joined } from "../input/line-mode.ts";
import type { Keys } from "../keys.ts";
import type { Field } from "../parts.ts";
import type { Words } from "../words/words.ts";
import type { Offer } from "./offers.ts";
import { type Answer, Question } from "./question.ts";
import { type Around, type DrawnQuestion, drawQuestion, type QuestionLook } from "./question-lines.ts";

/** Keys within so many milliseconds after typing belong to the typed text, and answer nothing. */
const TYPING_MS = 600;
/** Milliseconds that a question has to be on the screen before a key answers it. */
const SEEN_MS = 250;
/** The same for a question that replaces one that ended elsewhere: a key may be meant for that one. */
const SWAPPED_MS = 1_500;
/** A question that is shown within so many milliseconds after another one ended elsewhere counts as its replacement. */
const SWAP_MS = 10_000;

type Room = Pick<Around, "height" | "whole" | "reading" | "most">;
interface QuestionsParts {
  words: Words;
  /** Sends an answer. `kept` is the message to show for a lasting one, once it holds. */
  give(requestId: string, answer: Answer, kept?: string): Promise<void>;
  field(): (Pick<Field, "text" | "setText"> & Partial<Pick<Field, "mode" | "silent" | "attachments">>) | undefined;
  now?: () => number;
}

/** The open questions of the session: the oldest is shown, and a key answers it. */
export class Questions {
  shown: Question | undefined;
  others = 0;
  private readonly parts: QuestionsParts;
  private readonly now: () => number;
  private typedAt = Number.NEGATIVE_INFINITY;
  /** Since when everything that has to be seen before an answer is on the screen; undefined while it is not. */
  private seenSince: number | undefined;
  private goneAt = Number.NEGATIVE_INFINITY;
  /** The id of the last question, if it ended without an answer. */
  private withdrawn: string | undefined;
  private isAfterWithdrawn = false;
  /** The answer that was given here last: to which question, by which key, and when. */
  private given = { requestId: "", key: "", at: Number.NEGATIVE_INFINITY, isUnderway: false };
  /** The form of the question that was answered last; undefined if the field then contained text that does not belong to the form. */
  private form: string | undefined;
  /** The text of the field before it was cleared for a reason or an answer. */
  private setAside: Entered | undefined;
  /** Whether the user has left the text in the field with Tab in order to answer. */
  private isLeft = false;
  /** Whether the field still has the text that it had when the question came, which is no answer to it. */
  private isOldText = false;
  private hint: string | undefined;

  constructor(parts: QuestionsParts) {
    this.parts = parts;
    this.now = parts.now ?? (() => performance.now());
  }

  /** Notes how a question has ended. Called before `update` with the questions that are left. */
  ended({ requestId, answer }: { requestId: string; answer: string | null }): void {
    this.withdrawn = typeof answer === "string" ? undefined : requestId;
  }

  /** Called with the questions that are open now, the oldest first. */
  update(open: readonly OpenRequest[]): void {
    const [first] = open;
    this.others = Math.max(0, open.length - 1);
    const gone = this.shown?.request.requestId;
    if (gone !== undefined && open.some(({ requestId }) => requestId === gone)) return;
    const now = this.now();
    if (gone !== undefined && gone !== this.given.requestId) this.goneAt = now;
    if (gone !== undefined) this.isAfterWithdrawn = gone === this.withdrawn;
    this.restore(enteredIn(this.parts.field()));
    this.shown = first && new Question(first, this.parts.words, (answer, offer) => this.give(first, answer, offer));
    this.seenSince = undefined;
    this.isLeft = false;
    this.hint = undefined;
    this.isOldText = this.hasText && !this.isNext;
    if (!this.shown) return;
    if (this.isNext && this.shown.awaits === "key") this.parts.field()?.setText("");
    this.shown.isSwapped = now - this.goneAt < SWAP_MS;
    this.shown.isAfterWithdrawn = this.isAfterWithdrawn;
  }

  /** Draws the shown question. It cannot be answered until everything that matters for an answer is on the screen. */
  render(width: number, room: Room, look: QuestionLook): DrawnQuestion | undefined {
    const { shown, others, hint, isLeft } = this;
    if (!shown) return undefined;
    const around = { width, ...room, others, hint, isLeft, isDraft: this.isDraft };
    const drawn = drawQuestion(shown, around, look);
    this.seenSince = drawn.isWhole ? (this.seenSince ?? this.now()) : undefined;
    return drawn;
  }

  /** Called when something else is drawn instead of the question. */
  hidden(): void {
    this.seenSince = undefined;
  }

  /** Called when the user types: keys that follow quickly do not answer. */
  typed(): void {
    this.typedAt = this.now();
  }

  /** Handles a key that answers the question, or moves in it. Returns false if it is for the field. */
  press(data: string, keys: Keys): boolean {
    const { shown } = this;
    this.hint = undefined;
    if (!this.hasText) this.isOldText = false;
    if (!shown) return this.isRepeated(data);
    if (keys.is(data, "pageDown")) return shown.body.move(1);
    if (keys.is(data, "pageUp")) return shown.body.move(-1);
    if (keys.is(data, "complete") && this.hasText && (this.isDraft || this.isLeft)) return this.turn();
    if (this.isDraft || shown.awaits !== "key") return false;
    if (shown.means(data, keys)) return this.answer(shown, data, keys);
    if (!this.isForForm || data < " ") return this.refuse(data, keys);
    this.hint = this.parts.words.tooSoon;
    return true;
  }

  /** Whether pressed keys belong to the next question of a form that the user is filling in, which cannot be answered yet. */
  get isForForm(): boolean {
    return this.isNext && this.shown?.awaits === "key" && !this.isReady;
  }

  /** Whether the question belongs to the same form as the one answered last, so that what was typed since is meant for it. */
  private get isNext(): boolean {
    return this.form !== undefined && this.shown?.form === this.form;
  }

  /** Whether text sent from the field answers the question, or the next one of the same form. */
  get takesText(): boolean {
    if (!this.shown) return this.form !== undefined && this.now() - this.given.at < TYPING_MS;
    return this.shown.awaits !== "key" && !this.isDraft;
  }

  /** Answers with text sent from the field. Returns false if the question has not been on the screen long enough. */
  type(text: string): boolean {
    if (!this.isSeen) {
      this.hint = this.parts.words.tooSoon;
      return false;
    }
    this.shown?.type(text);
    return true;
  }

  /** Esc: takes back a half-given answer. Returns false when there is none. */
  back(): boolean {
    if (!this.shown?.back()) return false;
    this.restore();
    return true;
  }

  /** Declines the question. Returns false when there is none. */
  decline(): boolean {
    if (!this.shown) return false;
    this.given.key = "";
    this.give(this.shown.request, { answer: null });
    return true;
  }

  /** Tab: leaves the text in the field in order to answer, or returns to it. */
  private turn(): boolean {
    const { shown } = this;
    if (!this.isReady) return false;
    this.isLeft = !this.isLeft;
    this.seenSince = this.now();
    if (this.isLeft && shown?.awaits === "text") this.clearField();
    return true;
  }

  private answer(shown: Question, data: string, keys: Keys): boolean {
    const { words } = this.parts;
    if (this.isGiven(shown)) return true;
    if (!this.isReady) {
      this.hint = words.tooSoon;
      return true;
    }
    this.given.key = data;
    const before = shown.pending;
    if (!shown.press(data, keys)) this.hint = words.chooseFirst;
    // A key that is held down does not give an answer twice.
    if (shown.pending && shown.pending !== before) this.seenSince = this.now();
    if (shown.awaits === "reason") this.clearField();
    return true;
  }

  /** Leaves a letter that is no answer to the field, unless the user has left text there with Tab in order to answer. */
  private refuse(data: string, keys: Keys): boolean {
    if (data.length > 1 || data < " ") return false;
    if (this.shown) this.shown.pending = undefined;
    if (!this.isLeft) return false;
    this.hint = this.parts.words.backToDraft(keys.label("complete"), keys.label("interrupt"));
    return true;
  }

  /** Whether a key repeats the one that gave the last answer, before another question is shown. */
  private isRepeated(data: string): boolean {
    return data === this.given.key && !this.hasText && this.now() - this.given.at < TYPING_MS;
  }

  /** Whether an answer to a question was sent just now, even if the host has not accepted it yet. */
  private isGiven({ request }: Question): boolean {
    const { requestId, at, isUnderway } = this.given;
    return requestId === request.requestId && (isUnderway || this.now() - at < TYPING_MS);
  }

  private get isReady(): boolean {
    return this.isSeen && this.now() - this.typedAt >= TYPING_MS;
  }

  private get isSeen(): boolean {
    if (this.seenSince === undefined) return false;
    return this.now() - this.seenSince >= (this.shown?.isSwapped ? SWAPPED_MS : SEEN_MS);
  }

  private get hasText(): boolean {
    const field = this.parts.field();
    return field !== undefined && (field.text !== "" || (field.mode ?? "message") !== "message");
  }

  /** Whether typed letters continue text in the field, and answer nothing. */
  private get isDraft(): boolean {
    if (this.isLeft || !this.hasText || this.shown?.awaits === "reason") return false;
    return this.shown?.awaits === "key" || this.isOldText;
  }

  private give({ requestId }: OpenRequest, answer: Answer, offer?: Offer): void {
    this.given = { requestId, key: this.given.key, at: this.now(), isUnderway: true };
    this.goneAt = Number.NEGATIVE_INFINITY;
    this.form = this.hasText || this.setAside !== undefined ? undefined : this.shown?.form;
    const kept = offer?.isLasting ? this.parts.words.kept(covered(offer.label), offer.keptIn) : undefined;
    const over = () => {
      if (this.given.requestId === requestId) this.given.isUnderway = false;
    };
    this.parts.give(requestId, answer, kept).then(over, over);
  }

  private clearField(): void {
    const field = this.parts.field();
    this.setAside ??= enteredIn(field);
    field?.setText("");
  }

  /** Restores the text that was in the field before, and appends what was typed for a question that somebody else has answered. */
  private restore(typed = enteredIn()): void {
    const { setAside } = this;
    this.setAside = undefined;
    if (!setAside) return;
    const { text, mode, silent, attachments } = typed.text === "" ? setAside : joined([setAside, typed]);
    this.parts.field()?.setText(text, mode, silent, attachments);
  }
}

/** What an answer allows: the part of its label after the colon. */
function covered(label: string): string {
  return /(?:: |:)(.+)$/s.exec(label)?.[1] ?? label;
}
