import type { SessionHeader } from "@scorel/kernel";
import { addUsage, isPriced, noUsage, soundUsage, type Usage, type Use, usageIn } from "@scorel/kit/session/usage";
import type { Spent, SpentBy } from "./contract.ts";
import { errors } from "./errors.ts";
import { headerOf, logsIn, type Shelf } from "./logs.ts";
import { matchingLines } from "./ripgrep.ts";

export interface UsageOptions extends Shelf {
  by: SpentBy;
  /** Milliseconds since the epoch. */
  since: number;
  /** Returns the name of a session's project. */
  projectOf(header: SessionHeader | undefined): string;
  signal: AbortSignal;
}
/** A model call recorded in a log. */
interface Call extends Use {
  id: string;
  ts: number;
}

/** Matches the field name; inside a text, its quotes would be escaped. */
const COUNTED = '"usage":\\{';
const NAMES = ["minutes", "hours", "days", "weeks"] as const;
const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 };

/**
 * Sums the usage of all sessions. Reads only lines that mention usage. Each event counts once, in the oldest session
 * that contains it, so copies add nothing. A tool's usage counts only if no other log has it. Throws FIND_FAILED and
 * the signal's reason.
 */
export async function spentIn({ directory, logs, by, since, projectOf, signal }: UsageOptions) {
  const headers = new Map(oldestFirst({ directory, logs }));
  const known = new Set<string>();
  const sessions = new Set<string>();
  const rows = new Map<string, Row>();
  const total = nothing("total");
  for await (const { file, line } of matchingLines({
    directory,
    files: [...headers.keys()],
    pattern: COUNTED,
    signal,
  })) {
    const call = callIn(line);
    // A session that a tool ran has its usage in its own log, if that still exists.
    if (call && headers.has(`${call.usage.sessionId}${logs.ending}`)) continue;
    if (!call || call.ts < since || call.ts <= importedAt(headers.get(file)) || known.has(call.id)) continue;
    known.add(call.id);
    sessions.add(file);
    const key = by === "day" ? dayOf(call.ts) : by === "model" ? call.model : projectOf(headers.get(file));
    const row = rows.get(key) ?? nothing(key);
    rows.set(key, row);
    add(row, call.usage);
    add(total, call.usage);
  }
  return { rows: sorted([...rows.values()].map(shown), by), total: shown(total), sessions: sessions.size };
}

/** Returns when a session was imported. Events up to then were paid for elsewhere. */
function importedAt(header: SessionHeader | undefined): number {
  const { at } = (header?.meta.imported ?? {}) as { at?: unknown };
  return typeof at === "number" ? at : Number.NEGATIVE_INFINITY;
}

/** Sorts logs by creation, so that an original comes before its copies. */
function oldestFirst(shelf: Shelf): [string, SessionHeader | undefined][] {
  const logs = logsIn(shelf).map(
    (log) => [log.file, headerOf(shelf, log.sessionId)] as [string, SessionHeader | undefined],
  );
  const time = (header: SessionHeader | undefined) => header?.createdAt ?? Number.POSITIVE_INFINITY;
  return logs.sort(([, a], [, b]) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
}

/** Parses `7d`, `12h`, `2w` or `2026-11-01` (start of that day, local time); throws FIND_SINCE. */
export function sinceTime(value: string, now: number): number {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(value) ?? [];
  const name = NAMES.find((each) => each[0] === unit);
  if (name) return now - Number(count) * UNIT_MS[name];
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // Rejects dates that do not exist, such as 31 April.
  if (date.getDate() !== Number(day) || date.getMonth() !== Number(month) - 1) throw errors.FIND_SINCE({ value });
  return date.getTime();
}

/** The call in a line of a log; undefined for lines that only mention usage or are damaged. */
function callIn(line: Buffer): Call | undefined {
  const fields = fieldsOf(line);
  const { id, ts } = fields;
  const use = usageIn(fields);
  return use && typeof id === "string" && typeof ts === "number" ? { id, ts, ...use } : undefined;
}

function fieldsOf(line: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(line.toString("utf8")) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The sum of a row so far. */
interface Row {
  key: string;
  calls: number;
  unpriced: number;
  sum: Usage;
}

function nothing(key: string): Row {
  return { key, calls: 0, unpriced: 0, sum: noUsage() };
}

function add(row: Row, usage: unknown): void {
  row.calls++;
  if (!isPriced(soundUsage(usage))) row.unpriced++;
  row.sum = addUsage(row.sum, usage);
}

function shown({ key, calls, unpriced, sum: { input, output, cacheRead, cacheWrite, cost } }: Row): Spent {
  const sent = input + cacheRead + cacheWrite;
  return {
    ...{ key, calls, input, output, cacheRead, cacheWrite },
    cost: Number(cost.total.toFixed(6)),
    ...(unpriced > 0 && { unpriced }),
    cachedShare: sent === 0 ? 0 : Number((cacheRead / sent).toFixed(4)),
  };
}

/** Sorts days by date and everything else by cost. */
function sorted(rows: Spent[], by: SpentBy): Spent[] {
  const byKey = (a: Spent, b: Spent) => (a.key < b.key ? -1 : 1);
  return rows.sort((a, b) => (by === "day" ? 0 : b.cost - a.cost || b.calls - a.calls) || byKey(a, b));
}

function dayOf(ts: number): string {
  const date = new Date(ts);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${date.getFullYear()}-${month}-${day}`;
}
