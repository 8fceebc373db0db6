import type { Attachment } from "../parts.ts";
import type { DraftAttachments, StoredAttachment } from "./draft-attachments.ts";
import { marksIn, type Pastes } from "./paste.ts";

/** Text that was not sent, with its long pastes and its attachments. A command begins with `/`, a shell line with `!` or `!!`. */
export interface Unsent {
  text: string;
  pastes: Pastes;
  attachments: readonly Attachment[];
  /** The messages in the text that were sent without an answer of the host, so that it may have them. */
  doubtful?: readonly Doubtful[];
}

/** A message that may have reached the host. */
export interface Doubtful {
  messageId: string;
  text: string;
  /** Its part of the draft's attachments. Another message may have one with the same mark. */
  attachments: readonly Attachment[];
}

/** The attachments and the doubtful messages of a draft in the form in which its file contains them. */
interface Stored {
  attachments: readonly StoredAttachment[];
  doubtful: readonly object[];
}

/** The JSON of a draft. Pastes whose marks are not in the text are left out. */
export function jsonOf({ text, pastes }: Unsent, { attachments, doubtful }: Stored): string {
  const used = new Set(marksIn(text, pastes).map(({ number }) => number));
  return JSON.stringify({
    text,
    pastes: [...pastes].filter(([number]) => used.has(number)),
    ...(doubtful.length > 0 && { doubtful }),
    ...(attachments.length > 0 && { attachments }),
  });
}

/** The draft without the messages that have arrived. Each is searched for as whole lines, since the text around it may have changed. */
export function withoutArrived(
  { text, pastes, attachments, doubtful = [] }: Unsent,
  hasArrived: (messageId: string) => boolean,
): Unsent {
  let left = { text, attachments };
  for (const message of doubtful) {
    if (!hasArrived(message.messageId)) continue;
    const rest = withoutLines(left.text, message.text);
    if (rest !== left.text) left = { text: rest, attachments: without(left.attachments, message.attachments) };
  }
  return { pastes, ...left };
}

/** Removes each attachment once: other messages may have the same one. */
function without(all: readonly Attachment[], gone: readonly Attachment[]): Attachment[] {
  const left = [...all];
  for (const { mark, path, image } of gone) {
    const at = left.findIndex((each) => each.mark === mark && each.path === path && each.image === image);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

function withoutLines(text: string, gone: string): string {
  const at = `\n${text}\n`.indexOf(`\n${gone}\n`);
  if (at < 0) return text;
  const [before, after] = [text.slice(0, at), text.slice(at + gone.length)];
  return after === "" ? before.replace(/\n+$/, "") : before + after.replace(/^\n+/, "");
}

/** Reads a draft; a damaged one counts as none. */
export function unsentOf(json: string | undefined, stored: DraftAttachments): Unsent | undefined {
  if (json === undefined) return undefined;
  try {
    const { text, pastes, attachments, doubtful = [] } = JSON.parse(json) as Record<string, unknown>;
    if (typeof text !== "string" || !Array.isArray(pastes) || !pastes.every(isPaste)) return undefined;
    return {
      text,
      pastes: new Map(pastes),
      attachments: stored.read(attachments),
      doubtful: Array.isArray(doubtful) ? doubtful.filter(isDoubtful).map((each) => doubtfulOf(each, stored)) : [],
    };
  } catch {
    return undefined;
  }
}

function doubtfulOf({ messageId, text, attachments }: StoredDoubtful, stored: DraftAttachments): Doubtful {
  return { messageId, text, attachments: stored.read(attachments) };
}

function isPaste(value: unknown): value is [number, string] {
  return Array.isArray(value) && Number.isSafeInteger(value[0]) && typeof value[1] === "string";
}

type StoredDoubtful = Pick<Doubtful, "messageId" | "text"> & { attachments?: unknown };

function isDoubtful(value: unknown): value is StoredDoubtful {
  const { messageId, text } = (value ?? {}) as Partial<StoredDoubtful>;
  return typeof messageId === "string" && typeof text === "string";
}
