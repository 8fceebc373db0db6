import type { Stats } from "node:fs";
import { crc32 } from "node:zlib";
import { type EventOf, isEvent, messageOf, type SessionHeader, type StoredEvent } from "@scorel/kernel";
import type { Ledger } from "@scorel/kernel/store";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { typedContent } from "@scorel/kit/session/typed";
import type { Logs } from "@scorel/logs/contract";
import type { SessionMeta, UserMessage } from "@scorel/messages/contract";
import type { SessionSummary } from "../contract.ts";
import { statOfLog } from "../storage/log-stat.ts";
import { besideLog } from "../storage/session-store.ts";
import { relatedIn } from "./relations.ts";

const INDEX_VERSION = 3;
const TITLE_LENGTH = 80;
const FILING: ReadonlySet<string> = new Set(["name", "title", "archived"]);
/** Maximum size in bytes of a log that listing reads completely. Of a longer log without an index, only both ends are read. */
const READ_WHOLE = 8 * 2 ** 20;

/** Summary file beside a log. It describes the log's first `size` bytes. */
export interface SessionIndex {
  version: number;
  size: number;
  mtimeMs: number;
  ino: number;
  /** The seq of the last event that the index covers. */
  seq: number;
  id: string;
  summary: Omit<SessionSummary, "path">;
}
export type Stat = Pick<Stats, "size" | "mtimeMs" | "ino">;
export type Last = Pick<SessionIndex, "seq" | "id">;

/** Returns a log's summary: from its index plus later events, or else from the log, writing a new index. */
export function summaryOf(logs: Logs, path: string, sessionId: string): SessionSummary | undefined {
  // `stat` before reading: if a writer adds events in between, the index is only outdated, not wrong.
  const stat = statOfLog(path);
  if (!stat) return undefined;
  const index = readIndex(path);
  if (index && index.size === stat.size && index.mtimeMs === stat.mtimeMs) return { ...index.summary, path };
  try {
    return scanned(logs, path, stat, index);
  } catch (thrown) {
    const unknown = { sessionId, cwd: "", createdAt: stat.mtimeMs, updatedAt: stat.mtimeMs, messages: 0, title: "" };
    return { ...unknown, path, problem: messageOf(thrown) };
  }
}

function scanned(logs: Logs, path: string, stat: Stat, index: SessionIndex | undefined): SessionSummary {
  const { header, readOnly, problems } = logs.header(path);
  const grown = index && index.ino === stat.ino && index.size < stat.size ? index : undefined;
  const added = grown && stat.size - grown.size <= READ_WHOLE ? logs.since?.(path, header, grown.size) : undefined;
  const ends = !added && stat.size > READ_WHOLE ? logs.ends?.(path, stat.size) : undefined;
  if (ends) return { ...withoutCount(grown?.summary ?? begun(header), ends.head, ends.tail), path };
  const scan = added ? undefined : logs.scan(path);
  const events = added ?? eventsIn(scan?.ledger);
  const summary = grown && added ? { ...grown.summary } : begun(header);
  for (const event of events) take(summary, event);
  if (readOnly !== undefined && problems.some(({ lost }) => lost)) summary.problem = `${path}: ${readOnly}`;
  const last = events.at(-1) ?? (added && grown);
  return last && !scan?.torn ? writeIndex(path, stat, summary, last) : { ...summary, path };
}

function eventsIn(ledger: Ledger | undefined): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let row = 0; row < (ledger?.size ?? 0); row++) {
    const event = ledger?.read(row);
    if (event) events.push(event);
  }
  return events;
}

/** Extends a summary by some of the first and last events of a log whose messages are not counted. */
export function withoutCount(
  begun: SessionIndex["summary"],
  head: readonly StoredEvent[],
  tail: readonly StoredEvent[],
): SessionIndex["summary"] {
  const { messages: _some, ...summary } = begun;
  for (const event of [...head, ...tail]) take(summary, event);
  return summary;
}

/** Writes the index of a log that has this size and time, up to the event `last`. Returns the summary. */
export function writeIndex(
  path: string,
  { size, mtimeMs, ino }: Stat,
  summary: SessionIndex["summary"],
  { seq, id }: Last,
): SessionSummary {
  const index: SessionIndex = { version: INDEX_VERSION, size, mtimeMs, ino, seq, id, summary };
  const sum = crc32(JSON.stringify(index));
  try {
    replaceFile(besideLog(path, "index.json"), JSON.stringify({ ...index, sum }));
  } catch {
    // The disk is full or read-only. The log is then read again next time; nothing else depends on the index.
  }
  return { ...summary, path };
}

/** Returns the summary of a log without events. */
export function begun({ sessionId, createdAt, meta, clonedFrom }: SessionHeader): SessionIndex["summary"] {
  const { cwd = "", name, projectId } = meta as SessionMeta;
  const { parent, kind, preset } = relatedIn({ meta });
  // The header of an imported session also names the session that it is a copy of.
  const copied = meta.imported !== undefined ? "import" : clonedFrom && "clone";
  return {
    sessionId,
    cwd,
    createdAt,
    updatedAt: createdAt,
    messages: 0,
    title: "",
    ...(name !== undefined && { name }),
    ...(typeof projectId === "string" && { projectId }),
    ...(parent && { parent }),
    ...(kind !== undefined && { kind }),
    ...(preset !== undefined && { preset }),
    ...(copied && { copied }),
  };
}

/** Extends a summary by the next event. */
export function take(summary: SessionIndex["summary"], event: StoredEvent): void {
  // Uses the last event's time, not the latest one: a clock that was wrong once must not keep a session at the top.
  if (!isFiling(event)) summary.updatedAt = event.ts;
  if (isEvent(event, "message")) addMessage(summary, event);
  if (isEvent(event, "session_info")) change(summary, event);
}

/** Whether an event only names or archives the session, which does not count as activity. */
function isFiling({ type, changes }: StoredEvent & { changes?: unknown }): boolean {
  const changed = type === "session_info" ? Object.keys(Object(changes)) : [];
  return changed.length > 0 && changed.every((key) => FILING.has(key));
}

function addMessage(summary: SessionIndex["summary"], { message }: EventOf<"message">): void {
  const role = message?.role;
  if (summary.messages !== undefined && (role === "user" || role === "assistant")) summary.messages++;
  if (role === "user") delete summary.archived;
  if (role === "user" && summary.title === "") summary.title = titleOf(message.content ?? "");
}

function change(summary: SessionIndex["summary"], { changes }: { changes?: Partial<SessionMeta> }): void {
  if (typeof changes?.name === "string") summary.name = changes.name;
  if (typeof changes?.title === "string") summary.title = changes.title;
  if (changes?.archived === true) summary.archived = true;
  else if (changes?.archived === false) delete summary.archived;
}

function titleOf(given: UserMessage["content"]): string {
  const content = typedContent(given);
  const texts =
    typeof content === "string" ? [content] : content.map((block) => (block.type === "text" ? block.text : ""));
  const line = texts.join(" ").replace(/\s+/g, " ").trim();
  const letters = [...line.slice(0, TITLE_LENGTH * 2)];
  return letters.length > TITLE_LENGTH ? `${letters.slice(0, TITLE_LENGTH - 1).join("")}…` : line;
}

/** Reads the index; undefined if it is missing or unusable, since it is only needed for speed. */
export function readIndex(path: string): SessionIndex | undefined {
  try {
    const { sum, ...index } = JSON.parse(readIfPresent(besideLog(path, "index.json")) ?? "{}");
    return sum === crc32(JSON.stringify(index)) && index.version === INDEX_VERSION ? index : undefined;
  } catch {
    return undefined;
  }
}
