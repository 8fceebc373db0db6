import type { BaseContext } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { untilAborted } from "@scorel/kit/values/abort";
import type { BackgroundItem, BackgroundReport, BackgroundWork, CommandResult, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";

const WHERE = "backgroundWork";
/** The most items that one plugin may list. */
const MOST = 100;

interface Found {
  plugin: string;
  work: BackgroundWork;
  items: BackgroundItem[];
}

/** Lists the work that runs in the background of the session, the oldest first. */
export function listBackground(ctx: BaseContext): BackgroundItem[] {
  return found(ctx)
    .flatMap(({ items }) => items)
    .sort((a, b) => a.since - b.since);
}

/** Stops the work with this id. Throws BACKGROUND_UNKNOWN. */
export async function stopBackground(ctx: BaseContext, id: string): Promise<void> {
  const owner = found(ctx).find(({ items }) => items.some((item) => item.id === id));
  if (!owner) throw errors.BACKGROUND_UNKNOWN({ id });
  await ctx.calls.run(owner.plugin, WHERE, () => owner.work.stop(id));
}

/** See `wait_background` in the contract: waits for a message about the end of work that began after the event with seq `after`. */
export async function waitForReports(
  ctx: BaseContext,
  { after, known, wait = true }: { after: number; known: readonly string[]; wait?: boolean | undefined },
): Promise<{ reports: string[]; running: number }> {
  // Work that ends without a message is not waited for again, even if its plugin still lists it.
  const over = new Set<Promise<unknown>>();
  const ending = ({ ended }: BackgroundReport) => {
    const noted = () => void over.add(ended);
    return ended.then(noted, noted);
  };
  for (;;) {
    const all = works(ctx).flatMap(({ plugin, work }) =>
      ctx.attempt<readonly BackgroundReport[]>({ plugin, where: WHERE, otherwise: [] }, () => reportsOf(work, plugin)),
    );
    const wanted = all.filter(({ begun }) => begun > after);
    const reports = wanted.flatMap(({ message }) =>
      message === undefined || known.includes(message) ? [] : [message],
    );
    const running = wanted.filter(({ message, ended }) => message === undefined && !over.has(ended));
    if (!wait || reports.length > 0 || running.length === 0) return { reports, running: running.length };
    await untilAborted(Promise.race(running.map(ending)), ctx.session.stopping);
  }
}

function works(ctx: BaseContext): Omit<Found, "items">[] {
  return ctx.collect("backgroundWork", assertWork).map(({ plugin, value }) => ({ plugin, work: value }));
}

function found(ctx: BaseContext): Found[] {
  return works(ctx).map(({ plugin, work }) => {
    const items = ctx.attempt<BackgroundItem[]>({ plugin, where: WHERE, otherwise: [] }, () => itemsOf(work, plugin));
    return { plugin, work, items };
  });
}

function assertWork(value: unknown, plugin: string): BackgroundWork {
  const { list, stop, reports = () => {} } = Object(value) as Partial<BackgroundWork>;
  if ([list, stop, reports].every((each) => typeof each === "function")) return value as BackgroundWork;
  throw errors.BACKGROUND_INVALID({ plugin, flaw: 'it needs the functions "list" and "stop"' });
}

/** The items that a plugin lists. Throws BACKGROUND_INVALID if one is invalid. */
function itemsOf(work: BackgroundWork, plugin: string): BackgroundItem[] {
  const listed: unknown = work.list();
  if (!Array.isArray(listed) || !listed.every(isItem))
    throw errors.BACKGROUND_INVALID({ plugin, flaw: '"list" must return a list of { id, title, since, sessionId }' });
  return listed.slice(0, MOST).map(({ id, title, since, sessionId }) => {
    return { id, title: lineOf(String(title)), since, ...(sessionId !== undefined && { sessionId }) };
  });
}

function isItem(value: unknown): value is BackgroundItem {
  const { id, since, sessionId = "" } = Object(value) as Partial<BackgroundItem>;
  return typeof id === "string" && Number.isFinite(since) && typeof sessionId === "string";
}

/** The work of a plugin that announces its end. Throws BACKGROUND_INVALID if a report is invalid. */
function reportsOf(work: BackgroundWork, plugin: string): readonly BackgroundReport[] {
  const reports: unknown = work.reports?.() ?? [];
  if (Array.isArray(reports) && reports.every(isReport)) return reports;
  throw errors.BACKGROUND_INVALID({ plugin, flaw: '"reports" must return a list of { begun, message, ended }' });
}

function isReport(value: unknown): value is BackgroundReport {
  const { begun, message = "", ended } = Object(value) as Partial<BackgroundReport>;
  return Number.isFinite(begun) && typeof message === "string" && typeof ended?.then === "function";
}

/** The ids that `/tasks` has last shown to each client of a session. Its numbers stay valid when other work ends. */
export type ShownTasks = Map<string, readonly string[]>;

/** Runs `/tasks`: lists the work in the background, or stops an item of the list by its number or id. */
export async function tasks(
  ctx: BaseContext,
  lastShown: ShownTasks,
  { action, item }: { action?: "stop"; item?: string },
  { sessionId, clientId, request }: SlashContext,
): Promise<CommandResult> {
  const items = listBackground(ctx);
  const ids = items.map(({ id }) => id);
  if (action === undefined) {
    lastShown.set(clientId, ids);
    return shown(items);
  }
  const numberedId = (lastShown.get(clientId) ?? ids)[Number(item) - 1];
  const wanted = items.find(({ id }) => id === (numberedId ?? item));
  if (!wanted) throw errors.BACKGROUND_UNKNOWN({ id: item ?? "" });
  await request("stop_background", { sessionId, id: wanted.id });
  return { output: `Stopped: ${wanted.title}`, data: { stopped: wanted } };
}

function shown(items: readonly BackgroundItem[]): CommandResult {
  const lines = items.map(({ title, since, sessionId }, at) => {
    const session = sessionId === undefined ? "" : `, session ${sessionId}`;
    return `${at + 1}. ${title} (${lasting(Date.now() - since)}${session})`;
  });
  const hasSession = items.some(({ sessionId }) => sessionId !== undefined);
  const watch = hasSession ? " To watch a session, in another terminal: scorel attach ID" : "";
  const help = `To end one: /tasks stop 1.${watch}`;
  return {
    output: lines.length === 0 ? "Nothing runs in the background." : [...lines, help].join("\n"),
    data: { items },
  };
}

function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
