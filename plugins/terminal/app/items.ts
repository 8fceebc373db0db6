import type { Live, LiveCall, LiveReply, Row } from "@scorel/host/client";
import type { DisplayAction } from "@scorel/kernel";
import { displayLines, thinkingLines } from "../rows/display.ts";
import { imageLines, imagesIn } from "../rows/images.ts";
import type { Look, RowFacts } from "../rows/look.ts";
import { outputLines } from "../rows/output.ts";
import { safeLine, safeOutput } from "../rows/safe.ts";
import { GrowingText } from "../rows/stream.ts";
import { cut } from "../rows/wrap.ts";
import type { People } from "./people.ts";

/** An entry of the conversation on the screen: an event, something in flight, or a note of this application. */
export interface Item {
  key: string;
  /** No empty line is drawn between items of the same group. */
  group: "message" | "card" | "note";
  /** Shown instead if drawing fails. */
  text: string;
  draw(width: number, look: Look, facts: RowFacts): string[];
}

/** Events that the application shows elsewhere: questions in their panel, the queue in its strip, the mode in the status line. */
const ELSEWHERE = new Set([
  "approval_request",
  "approval_answer",
  "queue_update",
  "permission_mode",
  "client_joined",
  "client_left",
  // They stand at the end of the branch that was left, and a note says where the user is now.
  "branch",
  "rewind",
]);

/** The item of a stored event; undefined for one that is not shown. */
export function itemOf(
  { id, type, display, active, clientId, event }: Row,
  people: People,
  hasReply = true,
): Item | undefined {
  const isElsewhere = ELSEWHERE.has(type) && !isWarning(display);
  if (!active || display.display === "hidden" || isElsewhere) return undefined;
  if (!hasReply && isModel(event)) return undefined;
  if (people.isOwn(clientId) && isName(event)) return undefined;
  const isPerson = display.display === "bubble" && display.role === "user";
  const images = imagesIn(event);
  const shown = isPerson && images.length > 0 ? withoutMarks(display, images.length) : display;
  const author = isPerson || type === "shell_line" ? people.nameOf(clientId) : undefined;
  const ended = { exitCode: exitCodeIn(event), refused: refusedIn(event) };
  return {
    key: id,
    text: textOf(display),
    group:
      display.display === "card" || display.display === "list"
        ? "card"
        : display.display === "bubble"
          ? "message"
          : "note",
    draw: (width, look, facts) => [
      ...displayLines(shown, width, look, { ...facts, author, ...ended, ...(type === "shell_line" && SHELL_LINE) }),
      ...imageLines(images, width, look, facts),
    ],
  };
}

/** Whether a display is a warning. Warnings also appear in the conversation: a question became void with the process that asked it. */
function isWarning(display: DisplayAction): boolean {
  return display.display === "notice" && display.level === "warning";
}

/** A message without the words that stand for its images, which are shown below it. */
function withoutMarks<D extends Row["display"]>(display: D, images: number): D {
  const { text } = display as { text?: unknown };
  return typeof text === "string" ? { ...display, text: text.replace("[image]".repeat(images), "") } : display;
}

function textOf(display: DisplayAction): string {
  return "text" in display && typeof display.text === "string" ? display.text : "";
}

/** The lines of an item. If drawing fails, its text is shown instead, so that the application goes on. */
export function linesOf(item: Item, width: number, look: Look, facts: RowFacts): string[] {
  try {
    return item.draw(width, look, facts);
  } catch {
    return outputLines(item.text, width);
  }
}

/** The exit code in an event of a tool call or a shell line. Events of other plugins may have any form. */
function exitCodeIn(event: object): number | undefined {
  const { message } = event as { message?: { details?: unknown } | null };
  const { exitCode } = (message?.details ?? event) as { exitCode?: unknown };
  return Number.isInteger(exitCode) ? (exitCode as number) : undefined;
}

/** More lines of output than a tool's, since people run a shell line in order to see its output. */
const LONG: Pick<RowFacts, "shownLines"> = { shownLines: 30 };
/** Without the duration: the last line of the output says it. */
const SHELL_LINE: RowFacts = { ...LONG, durationMs: undefined };

/** Whether an event sets the session's model. Before the first reply it is hidden: it is no switch, and the status line shows the model. */
function isModel({ type, changes }: Row["event"] & { changes?: object }): boolean {
  return type === "session_info" && Object.keys(changes ?? {}).every((key) => /model/i.test(key));
}

/** Whether an event only names the session, which the command `/name` and the list of sessions say themselves. */
function isName({ type, changes }: Row["event"] & { changes?: object }): boolean {
  return type === "session_info" && Object.keys(changes ?? {}).join() === "name";
}

/** Whether an event is a message of the model. */
export function isReply({ display }: Row): boolean {
  return display.display === "bubble" && display.role === "assistant";
}

/** Output that only this application shows, such as the output of a command. */
export function noteItem(key: string, draw: Item["draw"]): Item {
  return { key, group: "note", text: "", draw };
}

/** Draws what is in flight. Keeps the lines of a reply that are finished, so that each further word costs the same. */
export class LiveItems {
  private readonly texts = new Map<string, GrowingText>();

  itemOf(live: Live, durationMs: number, people: People): Item {
    return live.kind === "call"
      ? {
          key: live.id,
          group: "card",
          text: textOf(live.display),
          draw: (width, look, facts) =>
            callLines(live, width, look, {
              ...facts,
              ...timeFacts(live, durationMs),
              ...typedFacts(live, people, look),
            }),
        }
      : {
          key: live.id,
          group: "message",
          text: live.text,
          draw: (width, look, facts) => this.reply(live, width, look, facts),
        };
  }

  /** Forgets the lines of replies that are not in `live`. */
  keep(live: readonly Live[]): void {
    for (const key of this.texts.keys()) if (!live.some(({ id }) => id === key)) this.texts.delete(key);
  }

  private reply(live: LiveReply, width: number, look: Look, facts: RowFacts): string[] {
    const { theme, words } = look;
    const { id, thinking, calls } = live;
    const isThinkingShown = thinking !== "" && (look.showsThinking || facts.isOpen === true);
    const thought = isThinkingShown ? thinkingLines(thinking, width, look, facts) : [];
    const said = thinking !== "" && !isThinkingShown ? thinkingLines(thinking, width, look, facts) : thought;
    const call = calls.at(-1);
    const size = call && call.json.length >= 1024 ? `${(call.json.length / 1024).toFixed(1)} KB` : "";
    const preparing = call
      ? [cut(theme.style("muted", `◌ ${words.preparing(safeLine(call.toolName), size)}`), width)]
      : [];
    const parts = [said, this.text(id, live.text, width, look), preparing].filter((part) => part.length > 0);
    return parts.flatMap((part, at) => (at === 0 ? part : ["", ...part]));
  }

  private text(id: string, text: string, width: number, look: Look): string[] {
    if (text.trim() === "") return [];
    let growing = this.texts.get(id);
    if (!growing) {
      growing = new GrowingText();
      this.texts.set(id, growing);
    }
    return growing.draw(text, width, look.drawing);
  }
}

/** How long a call has run, or that it waits for others. */
function timeFacts({ isWaiting }: LiveCall, durationMs: number): RowFacts {
  return isWaiting ? { isWaiting } : { durationMs };
}

/** Facts about a running shell line: who has typed it, unless it was this user. */
function typedFacts({ typedBy }: LiveCall, people: People, { words }: Look): RowFacts {
  if (typedBy === undefined) return {};
  return { ...LONG, author: people.isOwn(typedBy) ? undefined : (people.nameOf(typedBy) ?? words.anotherClient) };
}

function callLines(live: LiveCall, width: number, look: Look, facts: RowFacts): string[] {
  const { display } = live;
  if (display.display !== "card") return displayLines(display, width, look, facts);
  return displayLines({ ...display, text: progressText(live) || display.text }, width, look, facts);
}

/** The latest output of a running tool. The progress that a tool reports may have any form. */
function progressText({ progress }: LiveCall): string {
  const content = (progress as { content?: unknown } | undefined)?.content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((block) => (block as { text?: unknown } | null)?.text);
  return safeOutput(texts.filter((text) => typeof text === "string").join("\n")).trimEnd();
}

/** The reason given when the call of an event was refused by a person; undefined if nobody refused it. */
function refusedIn(event: object): string | undefined {
  const { message } = event as { message?: { meta?: { refused?: unknown } | null } | null };
  const refused = message?.meta?.refused;
  if (typeof refused !== "object" || refused === null) return undefined;
  const { reason } = refused as { reason?: unknown };
  return typeof reason === "string" ? reason : "";
}
