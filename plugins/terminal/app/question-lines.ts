import type { Keys } from "../keys.ts";
import { certainLine } from "../rows/certain.ts";
import { oneLine } from "../rows/safe.ts";
import { cut, mostColumnsIn, wrapped } from "../rows/wrap.ts";
import type { Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";
import { known, type Offer } from "./offers.ts";
import type { Question } from "./question.ts";
import { questionBody } from "./question-body.ts";

export interface QuestionLook {
  theme: Theme;
  words: Words;
  keys: Keys;
}
/** What stands around a question. */
export interface Around {
  width: number;
  /** Lines that it takes at most if its answers and some lines of what it is about fit. */
  height: number;
  /** Lines that it may take if all of it is shown then. */
  whole: number;
  /** Lines that it takes at most else. */
  most: number;
  /** Questions that wait after this one. */
  others: number;
  /** Whether letters belong to a text in the field. */
  isDraft: boolean;
  /** Whether the person has left such a text to answer. */
  isLeft: boolean;
  /** What the person is told about the key that they have pressed. */
  hint: string | undefined;
}
export interface DrawnQuestion {
  lines: string[];
  /** Everything is on the screen that a person has to see for an answer. */
  isWhole: boolean;
}

/** Lines of the body that are shown in the smallest window. */
const LEAST_BODY = 3;
const LEAST_OFFERS = 2;
const MOST_TITLE = 2;
const MOST_STATE = 7;
/** Lines of an answer that are shown when it is given for the first time. */
const MOST_LABEL = 3;

/** Draws a question: its title, what it is about as far as there is room, the answers, and what to do. */
export function drawQuestion(question: Question, around: Around, look: QuestionLook): DrawnQuestion {
  const { theme } = look;
  const { width } = around;
  const bar = theme.style("warning", "┃ ");
  const room = Math.max(1, width - 2);
  const { head, rest } = headOf(question, room, look);
  const labels = question.awaits === "key" ? question.offers : [];
  const long = labels.filter((offer) => mostColumnsIn(offerHead(offer) + offer.label) > room);
  question.cutOffers = new Set(long);
  // What does not fit below, when the answer is given for the first time, is part of what the question is about.
  const after = long.filter(({ label }) => isHuge(label, room));
  const more = { before: rest, after: after.map(({ key, label }) => `${key}: ${label}`) };
  const foot = footOf(question, around, room, look);
  const beside = head.length + foot.length + labels.length;
  const { lines: body, end } = bodyOf(question, more, room, around.whole - beside, look);
  const least = Math.min(LEAST_BODY, body.length);
  const height = heightOf(beside, body.length, around);
  const free = height - head.length - foot.length - least;
  const isWhole = width >= 20 && free >= Math.min((question.pending ? 1 : LEAST_OFFERS) + 1, labels.length);
  if (!isWhole) {
    question.shownOffers = [0, 0];
    const lines = [...head, ...tooSmall(room, look)].slice(-Math.max(1, height));
    return { lines: lines.map((line) => bar + cut(line, room)), isWhole };
  }
  const offers = offerLines(question, labels, Math.min(free, labels.length), room, look, around);
  const bodyRoom = height - head.length - foot.length - offers.length;
  const mark = (above: number, below: number) => scrollMark(above, below, room, look);
  const shown = question.body.show({ lines: body, end }, room, bodyRoom, mark);
  return {
    lines: [...head, ...shown, ...offers, ...foot].map((line) => bar + line),
    isWhole: true,
  };
}

/** What it is about; if that is longer than the room for it, with fewer of the lines that a change leaves as they are. */
function bodyOf(
  { request }: Question,
  more: Parameters<typeof questionBody>[1],
  width: number,
  room: number,
  look: QuestionLook,
) {
  const body = questionBody(request, more, width, look);
  return body.lines.length <= room ? body : questionBody(request, more, width, { ...look, isTight: true });
}

/** The lines that a question takes, of which `beside` are not about what it asks. */
function heightOf(beside: number, body: number, { height, whole, most }: Around): number {
  const all = beside + body;
  if (all <= whole) return all;
  const least = beside + Math.min(LEAST_BODY, body);
  return least <= height ? height : Math.min(most, least);
}

/** The title, and who asks. A long title is cut, and `rest` has all of it. */
function headOf({ request, isSwapped, isAfterWithdrawn }: Question, room: number, { theme, words }: QuestionLook) {
  const asked = known(request.title, request, words);
  const title = wrapped(theme.style("strong", oneLine(asked)), room);
  const isCut = title.length > MOST_TITLE || asked.includes("\n");
  // A question of permissions says itself what it is about. Of any other, a person should know which plugin asks.
  const asker =
    request.plugin === "permissions" ? [] : [cut(theme.style("muted", words.asks(certainLine(request.plugin))), room)];
  const swapped = isSwapped && isAfterWithdrawn ? wrapped(theme.style("warning", words.anotherQuestion), room) : [];
  const shown = isCut ? [cut(theme.style("strong", oneLine(asked)), room)] : title;
  return { head: [...swapped, ...shown, ...asker], rest: isCut ? [asked] : [] };
}

/** The answers, or as many as there is room for around the chosen one, with a line that says how many are not shown. */
function offerLines(
  question: Question,
  offers: readonly Offer[],
  room: number,
  width: number,
  { theme, words, keys }: QuestionLook,
  { isDraft }: Around,
): string[] {
  const count = room < offers.length ? room - 1 : room;
  const at = question.pending ? offers.indexOf(question.pending) : (question.chosen ?? 0);
  const before = Math.min(question.shownOffers[0], offers.length - count);
  const from = at < before ? at : at >= before + count ? at - count + 1 : Math.max(0, before);
  question.shownOffers = [from, from + count];
  const lines = offers.slice(from, from + count).map((offer, index) => {
    const isChosen = from + index === question.chosen;
    const isPending = offer === question.pending;
    const mark = isChosen || isPending ? theme.style("accent", "❯") : " ";
    const role = isDraft ? "faint" : isChosen || isPending ? "strong" : "text";
    return cut(
      `${mark}${theme.style(isDraft ? "faint" : "accent", offerHead(offer).slice(1))}${theme.style(role, offer.label)}`,
      width,
    );
  });
  if (count === offers.length) return lines;
  const hidden = words.moreAnswers(offers.length - count, keys.label("up"), keys.label("down"));
  return [...lines, cut(theme.style("warning", hidden), width)];
}

function offerHead({ key, number }: Offer): string {
  return number === undefined || number === key ? `   ${key}  ` : ` ${number} ${key}  `;
}

function scrollMark(above: number, below: number, room: number, { theme, words, keys }: QuestionLook): string {
  const text = words.moreOfQuestion(above, below, keys.label("pageUp"), keys.label("pageDown"));
  return cut(theme.style("warning", `⋯ ${text}`), room);
}

/** What the person is to do. */
function footOf(
  question: Question,
  { others, isDraft, isLeft, hint }: Around,
  room: number,
  look: QuestionLook,
): string[] {
  const { theme, words, keys } = look;
  const [tab, leave] = [keys.label("complete"), keys.label("interrupt")];
  const said = hint ?? (isDraft ? words.questionWaits(tab, leave) : demandOf(question, room, look));
  const state =
    said !== undefined
      ? wrapped(theme.style("warning", said), room)
      : wrapped(theme.style("muted", isLeft ? words.backToDraft(tab, leave) : words.declineKey(leave)), room);
  const after = others > 0 ? [cut(theme.style("muted", words.otherQuestions(others)), room)] : [];
  return [...state.slice(0, MOST_STATE), ...after];
}

/** What the person has to do next; undefined when it is only to choose. */
function demandOf(question: Question, room: number, { words, keys }: QuestionLook): string | undefined {
  const { awaits, pending, request, body, cutOffers } = question;
  if (awaits === "reason") return words.reasonFor;
  if (awaits === "text") {
    const { fallback = "" } = request;
    return `${words.typeAnswer}${fallback === "" ? "" : ` ${words.byDefault(certainLine(fallback))}`}`;
  }
  if (!pending) return undefined;
  const unread = pending.agrees && body.unseen > 0 ? words.unread(body.unseen, keys.label("pageDown")) : "";
  const lasts = pending.isLasting ? words.lasts(pending.keptIn) : "";
  const label = cutOffers.has(pending) && !isHuge(pending.label, room) ? `${pending.label}.` : "";
  return [label, unread, lasts, words.pressOnceMore(pending.key, keys.label("choose"))]
    .filter((each) => each !== "")
    .join(" ");
}

function isHuge(label: string, room: number): boolean {
  return mostColumnsIn(label) > MOST_LABEL * room;
}

function tooSmall(room: number, { theme, words, keys }: QuestionLook): string[] {
  return [
    ...wrapped(theme.style("warning", words.makeLarger), room),
    cut(theme.style("muted", words.declineKey(keys.label("interrupt"))), room),
  ];
}
