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
/** The room for a question on the screen, and the state around it. */
export interface Around {
  width: number;
  /** The most lines for the question, if its answers and some lines of its body fit into them. */
  height: number;
  /** The most lines for the question, if it fits into them completely. */
  whole: number;
  /** The most lines for the question while the user reads a long body. */
  reading: number;
  /** The most lines for the question in all other cases. */
  most: number;
  /** Questions that wait after this one. */
  others: number;
  /** Whether typed letters belong to text in the field, and answer nothing. */
  isDraft: boolean;
  /** Whether the user has left that text with Tab in order to answer. */
  isLeft: boolean;
  /** A message about the last key, such as why it did not answer. */
  hint: string | undefined;
}
export interface DrawnQuestion {
  lines: string[];
  /** Whether everything is on the screen that has to be seen before an answer is given. */
  isWhole: boolean;
}

/** Lines of the body that are shown in the smallest window. */
const LEAST_BODY = 3;
const LEAST_OFFERS = 2;
const MOST_TITLE = 2;
const MOST_STATE = 7;
/** An answer whose label takes more lines than this is shown whole in the body of the question. */
const MOST_LABEL = 3;

/** Draws a question: its title, its body as far as there is room, the answers, and what to do next. */
export function drawQuestion(question: Question, around: Around, look: QuestionLook): DrawnQuestion {
  const { theme } = look;
  const { width } = around;
  const bar = theme.style("warning", "┃ ");
  const room = Math.max(1, width - 2);
  const { head, rest } = headOf(question, room, look);
  const labels = question.awaits === "key" ? question.offers : [];
  const long = labels.filter((offer) => mostColumnsIn(offerHead(offer) + offer.label) > room);
  question.cutOffers = new Set(long);
  // Labels that are too long to be shown beside their key are part of the body.
  const after = long.filter(({ label }) => isHuge(label, room));
  const more = { before: rest, after: after.map(({ key, label }) => `${key}: ${label}`) };
  const foot = footOf(question, around, room, look);
  const beside = head.length + foot.length + labels.length;
  const { lines: body, end } = bodyOf(question, more, room, around.whole - beside, look);
  const least = Math.min(LEAST_BODY, body.length);
  const { isBeingRead } = question.body;
  const height = heightOf(beside, body.length, isBeingRead ? { ...around, height: around.reading } : around);
  const free = height - head.length - foot.length - least;
  const isWhole = width >= 20 && free >= Math.min((question.pending ? 1 : LEAST_OFFERS) + 1, labels.length);
  // A hint that leaves too little room is not shown: it does not make an answer impossible.
  if (!isWhole && around.hint !== undefined) return drawQuestion(question, { ...around, hint: undefined }, look);
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

/** The body of a question; if it is longer than its room, with fewer of the unchanged lines of diffs. */
function bodyOf({ request }: Question, more: BodyParts[1], width: number, room: number, look: QuestionLook): Body {
  const body = keptBody(request, more, width, look);
  return body.lines.length <= room ? body : keptBody(request, more, width, { ...look, isTight: true });
}

type BodyParts = Parameters<typeof questionBody>;
type Body = ReturnType<typeof questionBody>;

/** The bodies that were drawn last, by what they depend on, since a question is drawn again at each key and each second. */
const drawnBodies = new WeakMap<BodyParts[0], Map<string, Body>>();
const MOST_BODIES = 4;

function keptBody(...[request, more, width, look]: BodyParts): Body {
  const bodies = drawnBodies.get(request) ?? new Map<string, Body>();
  const key = JSON.stringify([more, width, look.theme.name, look.words.language, look.isTight]);
  const body = bodies.get(key) ?? questionBody(request, more, width, look);
  if (bodies.size >= MOST_BODIES) bodies.clear();
  drawnBodies.set(request, bodies.set(key, body));
  return body;
}

/** The number of lines for a question with `body` lines of body and `beside` other lines. */
function heightOf(beside: number, body: number, { height, whole, most }: Around): number {
  const all = beside + body;
  if (all <= whole) return all;
  const least = beside + Math.min(LEAST_BODY, body);
  return least <= height ? height : Math.min(most, least);
}

/** The title, and which plugin asks. A long title is cut, and `rest` has all of it. */
function headOf({ request, isSwapped, isAfterWithdrawn }: Question, room: number, { theme, words }: QuestionLook) {
  const asked = known(request.title, request, words);
  const title = wrapped(theme.style("strong", oneLine(asked)), room);
  const isCut = title.length > MOST_TITLE || asked.includes("\n");
  // The title of a question of `permissions` says what it is about. For any other, the user should know which plugin asks.
  const asker =
    request.plugin === "permissions" ? [] : [cut(theme.style("muted", words.asks(certainLine(request.plugin))), room)];
  const swapped = isSwapped && isAfterWithdrawn ? wrapped(theme.style("warning", words.anotherQuestion), room) : [];
  const shown = isCut ? [cut(theme.style("strong", oneLine(asked)), room)] : title;
  return { head: [...swapped, ...shown, ...asker], rest: isCut ? [asked] : [] };
}

/** The answers, or as many as fit around the chosen one, with a line that says how many are not shown. */
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

/** The lines that say what to do next, and how many questions follow. */
function footOf(
  question: Question,
  { others, isDraft, isLeft, hint }: Around,
  room: number,
  look: QuestionLook,
): string[] {
  const { theme, words, keys } = look;
  const [tab, leave] = [keys.label("complete"), keys.label("interrupt")];
  // While an answer has to be confirmed, the reason stays on the screen, and no hint replaces it.
  const told = question.pending ? undefined : hint;
  const said = told ?? (isDraft ? words.questionWaits(tab, leave) : demandOf(question, room, look));
  const state =
    said !== undefined
      ? wrapped(theme.style("warning", said), room)
      : wrapped(theme.style("muted", isLeft ? words.backToDraft(tab, leave) : words.declineKey(leave)), room);
  const after = others > 0 ? [cut(theme.style("muted", words.otherQuestions(others)), room)] : [];
  return [...state.slice(0, MOST_STATE), ...after];
}

/** What the user has to do next; undefined when only a choice is needed. */
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
