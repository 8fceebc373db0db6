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
      ctx.guard<readonly BackgroundReport[]>({ plugin, where: WHERE, otherwise: [] }, () => work.reports?.() ?? []),
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
    const listed = ctx.guard<readonly BackgroundItem[]>({ plugin, where: WHERE, otherwise: [] }, () => work.list());
    const items = listed.slice(0, MOST).map((item) => ({ ...item, title: lineOf(String(item.title)) }));
    return { plugin, work, items };
  });
}

function assertWork(value: unknown, plugin: string): BackgroundWork {
  const { list, stop, reports = () => {} } = Object(value) as Partial<BackgroundWork>;
  if ([list, stop, reports].every((each) => typeof each === "function")) return value as BackgroundWork;
  throw errors.BACKGROUND_INVALID({ plugin });
}

/** Runs `/tasks`: lists the work in the background, or stops an item of the list by its number or id. */
export async function tasks(
  ctx: BaseContext,
  { action, item }: { action?: "stop"; item?: string },
  { sessionId, request }: SlashContext,
): Promise<CommandResult> {
  const items = listBackground(ctx);
  if (action === undefined) return shown(items);
  const wanted = items[Number(item) - 1] ?? items.find(({ id }) => id === item);
  if (!wanted) throw errors.BACKGROUND_UNKNOWN({ id: item ?? "" });
  await request("stop_background", { sessionId, id: wanted.id });
  return { output: `Stopped: ${wanted.title}`, data: { stopped: wanted } };
}

function shown(items: readonly BackgroundItem[]): CommandResult {
  const lines = items.map(({ title, since, sessionId }, at) => {
    const session = sessionId === undefined ? "" : `, session ${sessionId}`;
    return `${at + 1}. ${title} (${lasting(Date.now() - since)}${session})`;
  });
  const help = "To end one: /tasks stop 1. To watch a session, in another terminal: scorel attach ID";
  return {
    output: lines.length === 0 ? "Nothing runs in the background." : [...lines, help].join("\n"),
    data: { items },
  };
}

function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
