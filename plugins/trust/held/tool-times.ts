import * as fs from "node:fs";
import { basename, join } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { isTable } from "@scorel/kit/values";

/** A command may outlive its session's last line by this; older logs are not looked at. */
const DAY_MS = 24 * 3600 * 1000;
/**
 * A file's time may lag behind the one of events by a tick of the system's clock, and is never ahead of it by more than the
 * part of a millisecond that an event's time leaves out. So what changed after the last result was not changed by a tool.
 */
const LAG_MS = 50;
const ROUNDING_MS = 1;

/** When tools of a session ran, in milliseconds since the epoch. */
interface Span {
  from: number;
  until: number;
}

/** Answers the session whose tools ran at a moment, as its log tells; undefined when none did. Reads each log once. */
export function createSessionFinder(): (moment: number) => string | undefined {
  const dir = join(userDir(), "sessions");
  const logs = fs.existsSync(dir) ? fs.readdirSync(dir).filter((name) => name.endsWith(".jsonl")) : [];
  const known = new Map<string, Span[]>();
  const spansOf = (path: string): Span[] => {
    const spans = known.get(path) ?? endedAt(endOf(basename(path, ".jsonl")), toolSpans(fs.readFileSync(path, "utf8")));
    known.set(path, spans);
    return spans;
  };
  return (moment) => {
    const log = logs.find((name) => mayCover(join(dir, name), moment) && covers(spansOf(join(dir, name)), moment));
    return log === undefined ? undefined : basename(log, ".jsonl");
  };
}

function mayCover(path: string, moment: number): boolean {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs > moment - DAY_MS;
}

function covers(spans: readonly Span[], moment: number): boolean {
  return spans.some(({ from, until }) => from - LAG_MS <= moment && moment <= until + ROUNDING_MS);
}

/** When a later start has ended what a killed session had left running, as the plugin `sandbox` notes it. */
function endOf(sessionId: string): number {
  const folder = join(userDir(), "cache", "ended");
  const times = [sessionId, `${sessionId}-programs`].map(
    (name) => fs.statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY,
  );
  return Math.max(...times);
}

/** A span without an end ends then, if it began before. */
function endedAt(end: number, spans: readonly Span[]): Span[] {
  return spans.map(({ from, until }) => ({
    from,
    until: until === Number.POSITIVE_INFINITY && from < end ? end : until,
  }));
}

/** From each reply that calls tools to the last of their results; without it to what follows, else without an end. */
export function toolSpans(log: string): Span[] {
  const spans: Span[] = [];
  const waiting = new Set<string>();
  for (const line of log.split("\n")) {
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

/** Of a line only what tells when tools ran; a line that is damaged tells nothing. */
function asMessage(line: string): { ts: number; calls: string[]; result?: string } | undefined {
  if (!line.startsWith('{"type":"message"')) return undefined;
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
    // A torn or damaged line; opening the session reports it.
    return undefined;
  }
}
