import type { OpenRequest } from "@scorel/host/client";
import type { DisplayAction } from "@scorel/kernel";
import { visibleText } from "@scorel/kit/text/plain";
import type { Keys } from "../keys.ts";
import { diffLines } from "../rows/diff.ts";
import { wrapped } from "../rows/wrap.ts";
import type { Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";

export interface Answer {
  answer: string | null;
  reason?: string;
}
interface Offer {
  /** The key that gives the answer. */
  key: string;
  label: string;
  value: string;
  /** A reason is asked for first. */
  asksWhy?: boolean;
}
export interface QuestionLook {
  theme: Theme;
  words: Words;
  keys: Keys;
}

/** A question of a plugin: all of what it is about, and one key for each answer. */
export class Question {
  readonly request: OpenRequest;
  /** The person is typing why not, or the answer itself, in the field. */
  awaits: "key" | "reason" | "text";
  /** It takes the place of another one, which was withdrawn while it was on the screen. */
  isSwapped = false;
  private readonly offers: readonly Offer[];
  private readonly give: (answer: Answer) => void;
  private chosen: number | undefined;
  private from = 0;
  private hidden = 0;

  constructor(request: OpenRequest, words: Words, give: (answer: Answer) => void) {
    this.request = request;
    this.give = give;
    this.awaits = request.kind === "input" ? "text" : "key";
    this.offers = offersOf(request, words);
    const fallback = this.offers.findIndex(({ value }) => value === request.fallback);
    this.chosen = fallback < 0 ? undefined : fallback;
  }

  /** Takes a key. Returns false if it means nothing here. */
  press(data: string, keys: Keys): boolean {
    if (this.awaits !== "key") return false;
    const offer = this.offers.find(({ key }) => key.toLowerCase() === data.toLowerCase());
    if (offer) this.choose(offer);
    else if (keys.is(data, "choose") && this.chosen !== undefined) this.choose(this.offers[this.chosen] as Offer);
    else if (keys.is(data, "down")) this.move(1);
    else if (keys.is(data, "up")) this.move(-1);
    else if (keys.is(data, "pageDown")) this.from = Math.min(this.from + 5, this.from + this.hidden);
    else if (keys.is(data, "pageUp")) this.from = Math.max(0, this.from - 5);
    else return false;
    return true;
  }

  /** Takes what was typed in the field: a reason, or the answer itself. */
  type(text: string): void {
    if (this.awaits === "reason") this.give({ answer: this.declining, ...(text.trim() !== "" && { reason: text }) });
    else this.give({ answer: text === "" && this.request.fallback !== undefined ? this.request.fallback : text });
  }

  /** The person wants to answer with a key after all. */
  back(): boolean {
    if (this.awaits !== "reason") return false;
    this.awaits = "key";
    return true;
  }

  /** Draws the question in at most `height` lines. */
  render(width: number, height: number, look: QuestionLook, others: number): string[] {
    const { theme, words, keys } = look;
    const bar = theme.style("warning", "┃ ");
    const room = Math.max(10, width - 2);
    const { plugin, title: asked } = this.request;
    // A question of permissions says itself what it is about. Of any other, a person should know which plugin asks.
    const asker = plugin === "permissions" ? [] : wrapped(theme.style("faint", oneLine(words.asks(plugin))), room);
    const swapped = this.isSwapped ? wrapped(theme.style("warning", words.anotherQuestion), room) : [];
    const title = [...swapped, ...textLines(asked, room).map((line) => theme.style("strong", line)), ...asker];
    const body = (this.request.body ?? []).flatMap((part) => bodyLines(part, room, theme));
    const foot = [
      ...this.footLines(room, look),
      ...(others > 0 ? [theme.style("faint", words.otherQuestions(others))] : []),
    ];
    const least = Math.max(3, height - title.length - foot.length - 1);
    const shown = body.length <= least ? body : body.slice(this.from, this.from + least - 1);
    this.hidden = body.length - this.from - shown.length;
    const more =
      shown.length < body.length
        ? [theme.style("faint", words.moreOfQuestion(this.hidden, keys.label("pageUp"), keys.label("pageDown")))]
        : [];
    return [...title, ...shown, ...more, ...foot].map((line) => bar + line);
  }

  private footLines(width: number, { theme, words, keys }: QuestionLook): string[] {
    if (this.awaits === "reason") return wrapped(theme.style("warning", words.reasonFor), width);
    if (this.awaits === "text") {
      const { fallback } = this.request;
      const standard = fallback === undefined || fallback === "" ? "" : ` ${words.byDefault(oneLine(fallback))}`;
      return wrapped(theme.style("warning", `${words.typeAnswer}${standard}`), width);
    }
    const rows = this.offers.flatMap(({ key, label }, at) => {
      const isChosen = at === this.chosen;
      const head = `${isChosen ? theme.style("accent", "❯") : " "} ${theme.style("accent", key)}  `;
      return wrapped(head + theme.style(isChosen ? "strong" : "text", oneLine(label)), width, "     ");
    });
    const decline = keys.label("interrupt");
    return [...rows, ...wrapped(theme.style("faint", words.declineKey(decline)), width)];
  }

  private choose({ value, asksWhy }: Offer): void {
    if (asksWhy) this.awaits = "reason";
    else this.give({ answer: value });
  }

  private move(by: number): void {
    const count = this.offers.length;
    this.chosen = this.chosen === undefined ? (by > 0 ? 0 : count - 1) : (this.chosen + by + count) % count;
  }

  private get declining(): string {
    return this.offers.find(({ asksWhy }) => asksWhy)?.value ?? "n";
  }
}

/** The answers with their keys: letters as the question names them, else numbers; and a no that says why. */
function offersOf({ kind, options = [] }: OpenRequest, words: Words): Offer[] {
  if (kind === "input") return [];
  const all =
    kind === "confirm"
      ? [
          { value: "y", label: words.yes },
          { value: "n", label: words.no },
        ]
      : options;
  const isTyped = all.every(({ value }) => /^[a-z0-9]$/i.test(value));
  const offers = all.map(({ value, label }, at) => ({ key: isTyped ? value : String(at + 1), label, value }));
  const no = options.find(
    ({ value, message }) => message === true || (isTyped && value === "n" && /reason/.test(labelOf(options, value))),
  );
  const free = [..."rw"].find((key) => !offers.some((offer) => offer.key === key));
  if (!no || free === undefined) return offers;
  return [
    ...offers.map((offer) => (offer.value === no.value ? { ...offer, label: words.no } : offer)),
    { key: free, label: words.noWithReason, value: no.value, asksWhy: true },
  ];
}

function labelOf(options: readonly { value: string; label: string }[], value: string): string {
  return options.find((option) => option.value === value)?.label ?? "";
}

/** What a question is about, whole: nobody can agree to what was cut off. Invisible characters are written out. */
function bodyLines(part: DisplayAction, width: number, theme: Theme): string[] {
  switch (part.display) {
    case "diff":
      return [theme.style("muted", oneLine(part.path)), ...diffLines(visibleText(part.text), width, theme)];
    case "notice":
      return textLines(part.text, width).map((line) => theme.style("code", line));
    case "hidden":
      return [];
    case "card":
      return [
        ...textLines(part.title, width),
        ...textLines(part.text, width),
        ...(part.body ?? []).flatMap((each) => bodyLines(each, width, theme)),
      ];
    case "fold":
      return [
        ...textLines(part.title, width),
        ...textLines(part.text, width).map((line) => theme.style("muted", line)),
      ];
    default:
      return textLines(part.text, width);
  }
}

function oneLine(text: string): string {
  return visibleText(text).replace(/\s*\n\s*/g, " ");
}

function textLines(text: string, width: number): string[] {
  if (text === "") return [];
  return visibleText(text)
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => wrapped(line, width, "  "));
}
