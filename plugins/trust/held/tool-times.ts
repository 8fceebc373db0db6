import * as fs from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { endOf, noteEnd } from "@scorel/kit/process/ended";
import { ledgerFolder } from "@scorel/kit/process/ledger";
import { isTable } from "@scorel/kit/values/table";
import { linesBeginning } from "./log-lines.ts";

/** How long a command may keep running after the last line of its session's log; older logs are not read. */
const DAY_MS = 24 * 3600 * 1000;
/**
 * The file system's clock may be a tick behind the clock that stamps events. It is ahead by less than a millisecond, since
 * event times are whole milliseconds. So a file that changed after the last tool result was not changed by a tool.
 */
const LAG_MS = 50;
const ROUNDING_MS = 1;
/** How the lines of messages begin. */
const MESSAGE = '{"type":"message"';

/** A time during which tools of a session ran, in milliseconds since the epoch. */
interface Span {
  from: number;
  until: number;
}

/** Finds the session whose tools ran at a given time, according to its log; undefined if none ran. Reads each log once. */
export function createSessionFinder(): (moment: number) => string | undefined {
  const dir = join(userDir(), "sessions");
  const logs = fs.existsSync(dir) ? fs.readdirSync(dir).filter((name) => name.endsWith(".jsonl")) : [];
  const known = new Map<string, Span[]>();
  const spansOf = (path: string): Span[] => {
    const spans = known.get(path) ?? readSpans(path);
    known.set(path, spans);
    return spans;
  };
  return (moment) => {
    const log = logs.find((name) => mayCover(join(dir, name), moment) && covers(spansOf(join(dir, name)), moment));
    return log === undefined ? undefined : basename(log, ".jsonl");
  };
}

function readSpans(path: string): Span[] {
  const sessionId = basename(path, ".jsonl");
  const spans = toolSpans(linesBeginning(MESSAGE, path));
  const open = spans.at(-1);
  if (open?.until === Number.POSITIVE_INFINITY && recordedEnd(sessionId) < open.from) noteIfEnded(sessionId);
  return endedAt(recordedEnd(sessionId), spans);
}

function mayCover(path: string, moment: number): boolean {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs > moment - DAY_MS;
}

function covers(spans: readonly Span[], moment: number): boolean {
  return spans.some(({ from, until }) => from - LAG_MS <= moment && moment <= until + ROUNDING_MS);
}

/**
 * When everything that a session's process had started was recorded as ended, in milliseconds since the epoch;
 * -Infinity without a record.
 */
function recordedEnd(sessionId: string): number {
  const times = recordsOf(sessionId).map((name) => endOf(userDir(), name) ?? Number.NEGATIVE_INFINITY);
  return Math.max(...times);
}

/**
 * Records the end of a session whose process was killed during a tool, if none of its commands can still run. The time
 * of the kill is unknown, so the session's tools count as running until now.
 */
function noteIfEnded(sessionId: string): void {
  const lock = join(userDir(), "sessions", `${sessionId}.lock`);
  const holder = holderOf(lock);
  if (holder && isHeld(lock, holder)) return;
  const folder = ledgerFolder(homedir());
  // The next start of the session ends its recorded commands, and records that itself.
  if (recordsOf(sessionId).some((name) => fs.existsSync(join(folder, `${name}.json`)))) return;
  noteEnd(userDir(), sessionId);
}

/** The names under which a session's commands, and its programs in a sandbox, are recorded. */
const recordsOf = (sessionId: string) => [sessionId, `${sessionId}-programs`];

/** Gives spans that have no end the end `end`, if they began before it. */
function endedAt(end: number, spans: readonly Span[]): Span[] {
  return spans.map(({ from, until }) => ({
    from,
    until: until === Number.POSITIVE_INFINITY && from < end ? end : until,
  }));
}

/**
 * The spans during which tools ran, according to the lines of a log: from each reply that calls tools to the last of their results. If results are missing, the
 * span ends at the next message; if there is none, it has no end.
 */
export function toolSpans(lines: Iterable<string>): Span[] {
  const spans: Span[] = [];
  const waiting = new Set<string>();
  for (const line of lines) {
    const event = asMessage(line);
    if (!event) continue;
    const open = spans.at(-1);
    if (event.result !== undefined) {
      waiting.delete(event.result);
      if (open && waiting.size === 0) open.until = event.ts;
      continue;
    }
    if (open && waiting.size > 0) open.until = event.ts;
    waiting.clear();
    for (const id of event.calls) waiting.add(id);
    if (waiting.size > 0) spans.push({ from: event.ts, until: Number.POSITIVE_INFINITY });
  }
  return spans;
}

/** The tool calls or the tool result in a line of the log; undefined for other lines and damaged ones. */
function asMessage(line: string): { ts: number; calls: string[]; result?: string } | undefined {
  if (!line.startsWith(MESSAGE)) return undefined;
  const event = parse(line);
  if (!isTable(event) || !isTable(event.message) || typeof event.ts !== "number") return undefined;
  const { role, toolCallId, content } = event.message;
  if (role === "tool_result") return { ts: event.ts, calls: [], result: String(toolCallId) };
  const blocks = Array.isArray(content) ? content.filter(isTable) : [];
  return { ts: event.ts, calls: blocks.filter(({ type }) => type === "toolCall").map(({ id }) => String(id)) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    // The line is incomplete or damaged; opening the session reports it.
    return undefined;
  }
}
