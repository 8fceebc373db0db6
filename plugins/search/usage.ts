import type { SessionHeader } from "@scorel/kernel";
import type { Usage } from "@scorel/messages/contract";
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
interface Call {
  id: string;
  ts: number;
  model: string;
  /** With `sessionId` if a tool ran a session that has the same usage in its own log. */
  usage: Usage & { sessionId?: unknown };
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
  const rows = new Map<string, Spent>();
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
  return { rows: sorted([...rows.values()], by).map(shared), total: shared(total), sessions: sessions.size };
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

/**
 * Returns the call of a reply, summary or plugin's note; undefined for lines that only mention usage or are damaged.
 */
function callIn(line: Buffer): Call | undefined {
  const fields = fieldsOf(line);
  const { id, ts, type, message, model, usage } = fields;
  if (typeof id !== "string" || typeof ts !== "number") return undefined;
  if (type === "message" || type === "custom_message") {
    const said = (message ?? {}) as Record<string, unknown>;
    if (!isUsage(said.usage)) return undefined;
    if (said.role === "tool_result") return callOfTool(id, ts, said);
    if (said.role !== "assistant") return undefined;
    return { id, ts, model: `${said.provider}/${said.model}`, usage: said.usage };
  }
  if (type === "custom") return callInNote(id, ts, fields.data);
  if (type === "compact") return isUsage(usage) ? { id, ts, model: String(model ?? "unknown"), usage } : undefined;
  return undefined;
}

/** The call of a tool that reports its own usage, under the model that it names or else under the tool's name. */
function callOfTool(id: string, ts: number, { toolName, usage }: Record<string, unknown>): Call {
  const spent = usage as Call["usage"] & { model?: unknown };
  return { id, ts, model: String(spent.model ?? toolName), usage: spent };
}

/** Returns a call outside the conversation that a plugin recorded, for example for a title. */
function callInNote(id: string, ts: number, data: unknown): Call | undefined {
  const { model, usage } = (data ?? {}) as Record<string, unknown>;
  return isUsage(usage) ? { id, ts, model: String(model ?? "unknown"), usage } : undefined;
}

function fieldsOf(line: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(line.toString("utf8")) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function isUsage(usage: unknown): usage is Call["usage"] {
  return typeof usage === "object" && usage !== null;
}

function nothing(key: string): Spent {
  return { key, calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, cachedShare: 0 };
}

function add(row: Spent, usage: Usage): void {
  row.calls++;
  for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const) row[kind] += counted(usage[kind]);
  row.cost += counted(usage.cost?.total);
}

/** Returns a valid count, since imported logs may contain anything. */
function counted(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

function shared(row: Spent): Spent {
  const sent = row.input + row.cacheRead + row.cacheWrite;
  return {
    ...row,
    cost: Number(row.cost.toFixed(6)),
    cachedShare: sent === 0 ? 0 : Number((row.cacheRead / sent).toFixed(4)),
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
