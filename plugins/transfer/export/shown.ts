import { type DisplayAction, type EventId, isEvent, type Session, type StoredEvent } from "@scorel/kernel";
import { beginningOf } from "@scorel/kit/text/cut";
import { lineOf } from "@scorel/kit/text/one-line";
import { slices } from "@scorel/kit/values/slices";
import type { ImageBlock, ScorelMessage, SessionMeta } from "@scorel/messages/contract";
import { isRecord } from "../json.ts";
import { type Redact, redacted } from "./redaction.ts";

/** One item of a page. */
export interface Shown {
  ts: number;
  display: DisplayAction;
  images: ImageBlock[];
  /** `provider/id` of the model that wrote it. */
  model?: string;
}
/** Facts about the session for the page's header. */
export interface Facts {
  id: string;
  title: string;
  models: string[];
  /** ISO 8601. */
  created: string;
  updated: string;
}

/** The most characters of a title that is the beginning of a message. */
const TITLE_CHARS = 80;

/** Types of events that are not part of the conversation. */
const UNSHOWN = new Set(["queue_update"]);

/** Yields the current conversation and its side events in log order. Other work of the host runs in between. */
export async function* eventsOf({ tree, activeLeaf }: Session): AsyncGenerator<StoredEvent> {
  const way = new Set<EventId>();
  const pause = slices();
  if (activeLeaf !== null)
    for (const { id } of tree.ancestors(activeLeaf)) {
      await pause();
      way.add(id);
    }
  for (const event of tree) {
    await pause();
    const parent = tree.parent(event.id);
    if (way.has(event.id) || (!tree.isPath(event.id) && !isJump(event) && (!parent || way.has(parent.id)))) yield event;
  }
}

/** Yields each event as its plugin displays it, redacted. */
export async function* shownIn(session: Session, redact: Redact): AsyncGenerator<Shown> {
  for await (const event of eventsOf(session)) {
    const display = UNSHOWN.has(event.type) ? { display: "hidden" as const } : session.display(event);
    const images = imagesOf(event);
    if (display.display === "hidden" && images.length === 0) continue;
    const model = modelOf(event);
    yield { ts: event.ts, display: redacted(display, redact), images, ...(model && { model: redact(model) }) };
  }
}

/** The facts about a session, redacted. The title is the one that lists of sessions show. */
export async function factsOf(session: Session, redact: Redact): Promise<Facts> {
  const { header, tree } = session;
  const { name, title } = { ...(header.meta as SessionMeta), ...session.projection("sessionMeta") };
  const models = new Set<string>();
  let first = "";
  for await (const event of eventsOf(session)) {
    const model = modelOf(event);
    if (model) models.add(redact(model));
    first ||= promptIn(event, redact);
  }
  const titles = [name, title, first].filter((each) => typeof each === "string" && each !== "");
  return {
    id: session.id,
    title: redact(titles[0] ?? `Session ${session.id}`),
    models: [...models],
    created: dateOf(header.createdAt),
    updated: dateOf(tree.last?.ts ?? header.createdAt),
  };
}

/** The beginning of a message of the user, as one line; "" for other events. */
function promptIn(event: StoredEvent, redact: Redact): string {
  const { message } = event as { message?: { role?: unknown; content?: unknown } | null };
  if (event.type !== "message" || message?.role !== "user") return "";
  const { content } = message;
  const blocks: unknown[] = Array.isArray(content) ? content : [{ text: content }];
  const texts = blocks.flatMap((block) => (Object(block) as { text?: unknown }).text ?? []);
  // Redacted before the text is cut, since a part of a secret would not be recognised.
  return beginningOf(lineOf(redact(texts.filter((text) => typeof text === "string").join(" "))), TITLE_CHARS).trim();
}

/** A time such as "2026-02-03 04:05:06Z", which is also valid in the element `time`; "unknown" when the number is invalid. */
export function dateOf(ts: number): string {
  const date = new Date(ts);
  return Number.isNaN(date.getTime()) ? "unknown" : `${date.toISOString().slice(0, 19).replace("T", " ")}Z`;
}

function isJump({ type }: StoredEvent): boolean {
  return type === "rewind" || type === "branch";
}

function messageOf(event: StoredEvent): ScorelMessage | undefined {
  if (!isEvent(event, "message") && !isEvent(event, "custom_message")) return undefined;
  const { message } = event;
  return isRecord(message) ? (message as unknown as ScorelMessage) : undefined;
}

function imagesOf(event: StoredEvent): ImageBlock[] {
  const content = messageOf(event)?.content;
  return Array.isArray(content) ? content.filter((block): block is ImageBlock => block?.type === "image") : [];
}

function modelOf(event: StoredEvent): string | undefined {
  const message = messageOf(event);
  return message?.role === "assistant" ? `${message.provider}/${message.model}` : undefined;
}
