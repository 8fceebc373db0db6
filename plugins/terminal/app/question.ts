import { chosenFor, type OpenRequest } from "@scorel/host/client";
import type { Keys } from "../keys.ts";
import type { Words } from "../words/words.ts";
import { type Offer, offersOf } from "./offers.ts";
import { Scrolled } from "./scrolled.ts";

export interface Answer {
  answer: string | null;
  reason?: string;
}

/** An open question of a plugin: its body, the answers with their keys, and which of them is chosen. */
export class Question {
  readonly request: OpenRequest;
  /** What is expected: a key that chooses an answer, a reason for a no, or text as the answer. The last two are typed in the field. */
  awaits: "key" | "reason" | "text";
  /** Whether it replaces another question that ended elsewhere while it was on the screen. */
  isSwapped = false;
  /** Whether the replaced question was withdrawn without an answer. */
  isAfterWithdrawn = false;
  readonly offers: readonly Offer[];
  readonly body = new Scrolled();
  /** The index in `offers` of the answer that Enter gives. */
  chosen: number | undefined;
  /** The answer that has to be confirmed with the same key, because it is a lasting one or not all of the question was shown. */
  pending: Offer | undefined;
  /** The range of the answers on the screen: index of the first, and the index after the last. Others cannot be given. */
  shownOffers: readonly [number, number] = [0, 0];
  /** The answers whose label is cut on the screen. */
  cutOffers: ReadonlySet<Offer> = new Set();
  private readonly give: (answer: Answer, offer?: Offer) => void;

  constructor(request: OpenRequest, words: Words, give: (answer: Answer, offer?: Offer) => void) {
    this.request = request;
    this.give = give;
    this.awaits = request.kind === "input" ? "text" : "key";
    this.offers = offersOf(request, words);
    const wanted = chosenFor(request);
    const fallback = this.offers.findIndex(({ value, isLasting }) => value === wanted && !isLasting);
    this.chosen = fallback < 0 ? undefined : fallback;
  }

  /** The id of the form that the question is a part of. */
  get form(): string | undefined {
    const { form } = (this.request.data ?? {}) as { form?: unknown };
    return typeof form === "string" ? form : undefined;
  }

  /** Whether a key gives an answer, shown or not, or moves among the answers. */
  means(data: string, keys: Keys): boolean {
    if (this.awaits !== "key") return false;
    return offerOf(data, this.offers) !== undefined || keys.is(data, "choose") || this.directionOf(data, keys) !== 0;
  }

  /** Handles a key that `means` accepts. Returns false for Enter while no answer is chosen, and for an answer that is not shown. */
  press(data: string, keys: Keys): boolean {
    const direction = this.directionOf(data, keys);
    const offer = offerOf(data, this.offers.slice(...this.shownOffers)) ?? this.offerOfEnter(data, keys);
    if (offer) this.choose(offer);
    else this.pending = undefined;
    if (direction !== 0) this.move(direction);
    return offer !== undefined || direction !== 0;
  }

  /** Answers with the text from the field: a reason for a no, or the answer itself. */
  type(text: string): void {
    if (this.awaits === "reason") this.give({ answer: this.declining, ...(text.trim() !== "" && { reason: text }) });
    else this.give({ answer: text === "" && this.request.fallback !== undefined ? this.request.fallback : text });
  }

  /** Takes back a pending answer, or a no whose reason is being typed. Returns false when there is neither. */
  back(): boolean {
    if (this.pending) {
      this.pending = undefined;
      return true;
    }
    if (this.awaits !== "reason") return false;
    this.awaits = "key";
    return true;
  }

  /** For Enter: the answer that has to be confirmed, else the chosen one. */
  private offerOfEnter(data: string, keys: Keys): Offer | undefined {
    if (!keys.is(data, "choose")) return undefined;
    return this.pending ?? (this.chosen === undefined ? undefined : this.offers[this.chosen]);
  }

  private directionOf(data: string, keys: Keys): number {
    return keys.is(data, "down") ? 1 : keys.is(data, "up") ? -1 : 0;
  }

  private choose(offer: Offer): void {
    const isUnread = this.body.unseen > 0 || this.cutOffers.has(offer);
    const isSure = this.pending === offer || !(offer.isLasting || (offer.agrees && isUnread));
    this.pending = isSure ? undefined : offer;
    if (!isSure) return;
    if (offer.asksWhy) this.awaits = "reason";
    else this.give({ answer: offer.value }, offer);
  }

  private move(by: number): void {
    const count = this.offers.length;
    if (count === 0) return;
    this.chosen = this.chosen === undefined ? (by > 0 ? 0 : count - 1) : (this.chosen + by + count) % count;
  }

  private get declining(): string {
    return this.offers.find(({ asksWhy }) => asksWhy)?.value ?? "n";
  }
}

function offerOf(data: string, offers: readonly Offer[]): Offer | undefined {
  const key = data.toLowerCase();
  return offers.find((offer) => offer.key.toLowerCase() === key || offer.number === key);
}
