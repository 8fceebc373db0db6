import { clientName, type SessionProjection } from "@scorel/host/client";
import type { QueuedMessage } from "@scorel/host/contract";
import { lineOf } from "@scorel/kit/text/one-line";
import { wordsOf } from "./drawing.ts";
import { hanging } from "./indented.ts";
import { pastText } from "./past.ts";

/** The most queued messages that are shown, and the most characters of each. */
const SHOWN_MESSAGES = 5;
const SHOWN_CHARACTERS = 70;

export interface NowOptions {
  queue: readonly QueuedMessage[];
  /** Whether the end of the conversation is shown for the first time, shown again, or on the screen already. */
  past: "first" | "again" | "known";
  /** Whether the session's files are on another computer. */
  elsewhere: boolean;
  /** Id of the user's client. */
  clientId: string;
  columns: number | undefined;
}

/** The present state of a session as lines: the end of its conversation, other clients, queued messages, and whether a turn runs. */
export function nowLines(view: SessionProjection, options: NowOptions): string[] {
  const { queue, past, clientId } = options;
  const { running, host } = view.status;
  const others = (host.present ?? []).filter((client) => client.clientId !== clientId).map(({ name }) => lineOf(name));
  const { sessionId } = host;
  const lines: string[] = [];
  if (past === "again")
    lines.push("(the host cannot tell what was missed, so here is the end of the conversation again)");
  if (past !== "known") lines.push(pastText(view, { ...options, sessionId, named: others.length > 0 }));
  if (others.length > 0)
    lines.push(
      hanging(
        `(also here: ${others.join(", ")}; you are ${clientName(clientId) ?? "without a name"})`,
        options.columns,
      ),
    );
  if (queue.length > 0) lines.push(queueText(queue.length, queue, running, options.columns));
  if (running && view.live.length === 0) lines.push("(a turn is running)");
  return lines.filter((line) => line !== "");
}

/** Describes the queued messages, and when they are sent. */
export function queueText(count: number, items: readonly QueuedMessage[], running: boolean, columns?: number): string {
  const counted = count === 1 ? "1 queued message" : `${count} queued messages`;
  const head = running
    ? `(${counted}, sent when the running turn ends)`
    : `(${count === 1 ? "1 message is still queued; it is" : `${count} messages are still queued; they are`} sent after your next one)`;
  const rows = items
    .slice(0, SHOWN_MESSAGES)
    .map(({ content, clientId }) => wordsOf(clientName(clientId), briefly(content), columns));
  const more = items.length - rows.length;
  return [head, ...rows, ...(more > 0 ? [`  … ${more} more`] : [])].join("\n");
}

/** The beginning of a message, in one line. */
export function briefly(content: QueuedMessage["content"]): string {
  const parts =
    typeof content === "string"
      ? [content]
      : content.map((block) => ("text" in block ? block.text : `[${block.type}]`));
  const line = parts.join(" ").replace(/\s+/g, " ").trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS - 1)}…` : line;
}
