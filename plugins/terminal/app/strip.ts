import { inSendingOrder } from "@scorel/host/client";
import type { QueuedMessage } from "@scorel/host/contract";
import { beginningOf } from "@scorel/kit/text/cut";
import type { Keys } from "../keys.ts";
import { safeLine } from "../rows/safe.ts";
import { cut, wrapped } from "../rows/wrap.ts";
import type { Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";
import type { Waiting } from "./unsent.ts";

const SHOWN = 4;
/** The most characters of a message that are read for its line: it is drawn again with each frame, and may be a long paste. */
const MOST_READ = 2_000;

/** The name of another client that has queued a message; undefined for this one. */
type NameOf = (clientId: string) => string | undefined;

interface StripLook {
  /** Whether no turn runs, so that nothing is sent by itself. */
  isIdle?: boolean;
  /** Whether the host is away, so that it is unknown whether a turn runs. */
  isAway?: boolean;
  theme: Theme;
  words: Words;
  keys: Keys;
}
/** The messages that are chosen and edited with keys. */
interface Marked {
  chosen: string | undefined;
  editing: string | undefined;
  /** The edited message, while it is taken out of the queue. */
  held?: Held | undefined;
}
interface Held {
  item: QueuedMessage;
  place: number;
}

/** The queued messages, above the field, with the keys that change them. */
export function queueStrip(
  waiting: readonly QueuedMessage[],
  width: number,
  look: StripLook,
  { chosen, editing, held }: Marked,
  nameOf: NameOf = () => undefined,
): string[] {
  if (waiting.length === 0 && !held) return [];
  const queue = withHeld(inSendingOrder(waiting), held);
  const { theme, words, keys } = look;
  const at = queue.findIndex(({ id }) => id === chosen);
  const from = Math.max(0, Math.min(at - 1, queue.length - SHOWN));
  const shown = queue.slice(from, from + SHOWN);
  const rows = shown.map((item) => {
    const mark = item.id === editing ? "✎" : item.mode === "steer" ? "↳" : "≡";
    // Without a running turn, the message cannot be sent into one.
    const aside = item.mode === "steer" && !look.isIdle ? theme.style("muted", `  (${words.steerTitle})`) : "";
    const isChosen = item.id === chosen;
    const pointer = at < 0 ? "" : isChosen ? theme.style("accent", "❯ ") : "  ";
    const name = nameOf(item.clientId);
    const text = name === undefined ? textOf(item) : `${safeLine(name)}: ${textOf(item)}`;
    return cut(pointer + theme.style(isChosen ? "strong" : "muted", `${mark} ${text}`) + aside, width);
  });
  const hidden = queue.length - shown.length;
  const rest = hidden > 0 ? [theme.style("muted", `  + ${hidden}`)] : [];
  const hasForNextTurn = queue.some(({ mode }) => mode !== "steer");
  const own = hasForNextTurn ? words.queueTitle : words.queueSteered;
  const title = look.isAway ? words.queueAway : look.isIdle ? words.queueIdle : own;
  const key = keys.label("queue");
  const how = key === "" || look.isAway ? "" : ` · ${look.isIdle ? words.queueIdleKey(key) : words.queueKey(key)}`;
  const foot = footOf(chosen, editing, look);
  return [
    ...(waiting.length === 0 ? [] : [cut(theme.style("muted", title + (at < 0 ? how : "")), width)]),
    ...rows,
    ...rest,
    ...foot.flatMap((line) => wrapped(theme.style("warning", line), width, "  ")),
  ];
}

function withHeld(queue: QueuedMessage[], held: Held | undefined): QueuedMessage[] {
  return held ? [...queue.slice(0, held.place), held.item, ...queue.slice(held.place)] : queue;
}

/** The entries that the host has not taken yet, for above the field; only the last ones if there are many. */
export function unsentStrip(
  { isAway, texts }: Waiting,
  width: number,
  { theme, words, keys }: Pick<StripLook, "theme" | "words" | "keys">,
): string[] {
  if (texts.length === 0) return [];
  const hidden = Math.max(0, texts.length - SHOWN);
  const rows = [
    isAway ? words.unsent(keys.label("interrupt")) : words.untaken,
    ...(hidden > 0 ? [`  + ${hidden}`] : []),
    ...texts.slice(hidden).map((text) => `⋯ ${lineOf(text)}`),
  ];
  return rows.map((row) => cut(theme.style("muted", row), width));
}

/** The keys that apply now. Of several keys for sending, the last one is named, since few terminals support Ctrl-Enter. */
function footOf(chosen: string | undefined, editing: string | undefined, { words, keys }: StripLook): string[] {
  const name = (action: Parameters<Keys["label"]>[0]) => keys.label(action);
  if (chosen !== undefined)
    return [
      words.queueHint(
        name("choose"),
        `${name("moveUp")}/${name("moveDown")}`,
        keys.labels("steer").at(-1) ?? "",
        name("remove"),
        name("cancel"),
      ),
    ];
  return editing === undefined ? [] : [words.queueEditing(name("send"), name("interrupt"))];
}

/** The text of a queued message as one line, as far as there is room for it in any window. */
export function textOf({ content }: Pick<QueuedMessage, "content">): string {
  return lineOf(wholeText({ content }));
}

function lineOf(text: string): string {
  return safeLine(beginningOf(text.trimStart(), MOST_READ));
}

/** The text of a queued message, with `[image]` for each picture. */
export function wholeText({ content }: Pick<QueuedMessage, "content">): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}

/** The text of a message, without its pictures. */
export function textIn({ content }: Pick<QueuedMessage, "content">): string {
  if (typeof content === "string") return content;
  return wholeText({ content: content.filter(({ type }) => type === "text") });
}
