import { type Stats, statSync } from "node:fs";
import { messageOf, type SessionHeader, type StoredEvent, scanLog } from "@scorel/kernel";
import type { SessionMeta, UserMessage } from "@scorel/messages/contract";
import type { SessionSummary } from "./contract.ts";
import { readIfPresent, replaceFile } from "./files.ts";
import { besideLog } from "./session-store.ts";

const INDEX_VERSION = 1;
const TITLE_LENGTH = 80;

/** The file beside a log that spares reading it: what it says holds for a log of this size and time only. */
interface SessionIndex {
  version: number;
  size: number;
  mtimeMs: number;
  /** seq of the last event it covers. */
  seq: number;
  summary: Omit<SessionSummary, "path">;
}

/** What a list shows of a log: from its index when that is still true, else from the log, with a new index. */
export function summaryOf(path: string, sessionId: string): SessionSummary | undefined {
  // Taken before the log is read: what a writer adds meanwhile makes the index stale, never wrong.
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const index = readIndex(path);
  if (index && index.size === stat.size && index.mtimeMs === stat.mtimeMs) return { ...index.summary, path };
  try {
    const { header, events } = scanLog(path);
    return writeIndex(path, stat, header, events);
  } catch (thrown) {
    const unknown = { sessionId, cwd: "", createdAt: stat.mtimeMs, updatedAt: stat.mtimeMs, messages: 0, title: "" };
    return { ...unknown, path, problem: messageOf(thrown) };
  }
}

/** Writes the index of a log that held these events when it had this size and time; answers the summary in it. */
export function writeIndex(
  path: string,
  { size, mtimeMs }: Pick<Stats, "size" | "mtimeMs">,
  header: SessionHeader,
  events: Iterable<StoredEvent>,
): SessionSummary {
  const { summary, seq } = summarise(header, events);
  const index: SessionIndex = { version: INDEX_VERSION, size, mtimeMs, seq, summary };
  try {
    replaceFile(besideLog(path, "index.json"), JSON.stringify(index));
  } catch {
    // A full or read-only disk: the log is read again next time, and nothing else depends on the index.
  }
  return { ...summary, path };
}

function summarise(header: SessionHeader, events: Iterable<StoredEvent>): Pick<SessionIndex, "summary" | "seq"> {
  const { cwd = "", name } = header.meta as SessionMeta;
  const { sessionId, createdAt } = header;
  const summary: SessionIndex["summary"] = { sessionId, cwd, createdAt, updatedAt: createdAt, messages: 0, title: "" };
  if (name !== undefined) summary.name = name;
  let seq = 0;
  for (const event of events) {
    seq = event.seq;
    // Not the latest time but that of the last event: a clock that once ran ahead puts a session on top no longer than that.
    summary.updatedAt = event.ts;
    if (event.type === "message") addMessage(summary, event as StoredEvent & { message?: Partial<UserMessage> });
    if (event.type === "session_info") rename(summary, event as StoredEvent & { changes?: Partial<SessionMeta> });
  }
  return { summary, seq };
}

function addMessage(summary: SessionIndex["summary"], { message }: { message?: Partial<UserMessage> }): void {
  const role: string | undefined = message?.role;
  if (role === "user" || role === "assistant") summary.messages++;
  if (role === "user" && summary.title === "") summary.title = titleOf(message?.content ?? "");
}

function rename(summary: SessionIndex["summary"], { changes }: { changes?: Partial<SessionMeta> }): void {
  if (typeof changes?.name === "string") summary.name = changes.name;
}

function titleOf(content: UserMessage["content"]): string {
  const texts =
    typeof content === "string" ? [content] : content.map((block) => (block.type === "text" ? block.text : ""));
  const line = texts.join(" ").replace(/\s+/g, " ").trim();
  const letters = [...line.slice(0, TITLE_LENGTH * 2)];
  return letters.length > TITLE_LENGTH ? `${letters.slice(0, TITLE_LENGTH - 1).join("")}…` : line;
}

/** Undefined when there is none or it cannot be used; it is only ever a shortcut. */
function readIndex(path: string): SessionIndex | undefined {
  try {
    const index = JSON.parse(readIfPresent(besideLog(path, "index.json")) ?? "null") as SessionIndex | null;
    return index?.version === INDEX_VERSION && typeof index.summary?.sessionId === "string" ? index : undefined;
  } catch {
    return undefined;
  }
}
