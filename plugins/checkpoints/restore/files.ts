import { codeOf, type Session } from "@scorel/kernel";
import { slices } from "@scorel/kit/values/slices";
import type {} from "@scorel/model/contract";
import type { Context } from "../context.ts";
import type { Checkpoint, FileState, NotCovered, Preview } from "../contract.ts";
import { errors } from "../errors.ts";
import { Keeper } from "../record/keeper.ts";
import { KIND, same } from "../record/state.ts";
import { History } from "./history.ts";
import { endJournal, type Journal, readJournal, writeJournal } from "./journal.ts";
import { journalOf } from "./journal-path.ts";
import { movedPaths } from "./moved.ts";
import { isForeign, lookAt, type Place, planFor, type Step } from "./plan.ts";
import { listChanges, preview } from "./preview.ts";
import { carryOut, type Restored } from "./restore.ts";

const foreign: Preview = {
  changes: [],
  notCovered: [{ path: ".", reason: errors.CHECKPOINT_FOREIGN().message }],
};

/** Returns the changes that restoring the files to an event would make, without making them. Throws CHECKPOINT_TARGET. */
export async function previewFiles(ctx: Context, targetEventId: string): Promise<Preview> {
  const at = placeOf(ctx.session, targetEventId);
  return isForeign(ctx.session.header) ? foreign : preview(placeFor(ctx), historyOf(ctx), at);
}

/** How the files differ from their state before this session's tools changed them. */
export async function changesOf(ctx: Context): Promise<Preview> {
  return isForeign(ctx.session.header) ? foreign : listChanges(placeFor(ctx), historyOf(ctx));
}

/**
 * Restores files while no turn can start. When it is cancelled, files that were restored by then stay restored, and are
 * recorded. When the session is closed meanwhile, the next opening finishes the restore.
 */
export async function restoreFiles(ctx: Context, targetEventId: string, overwrite: boolean): Promise<Restored> {
  const { session } = ctx;
  if (isForeign(session.header)) throw errors.CHECKPOINT_FOREIGN();
  // Checked first, so that an unknown event is refused without waiting.
  placeOf(session, targetEventId);
  return whileNothingRuns(ctx, (signal) => restoreTo(ctx, targetEventId, { overwrite, signal }));
}

async function restoreTo(
  ctx: Context,
  target: string,
  { overwrite, signal }: { overwrite: boolean; signal: AbortSignal },
): Promise<Restored> {
  const { session } = ctx;
  const place = placeFor(ctx);
  const history = historyOf(ctx);
  const { steps, notCovered } = await planFor(place, history, placeOf(session, target), signal);
  const { moves, skipped } = await keepPresent(place, steps, { overwrite, signal });
  const fixed = [...notCovered, ...skipped];
  if (moves.length === 0) return { restored: [], skipped: fixed };
  const journal = writeJournal(journalOf(ctx), { root: place.root, target, steps: moves });
  const done = await carryOutNoted(ctx, place, journal, signal);
  return { restored: done.restored.sort(), skipped: [...fixed, ...done.skipped] };
}

/** Finishes an interrupted restore, if any. */
export async function finishRestore(ctx: Context): Promise<void> {
  const place = placeFor(ctx);
  const journal = readJournal(journalOf(ctx));
  if (journal?.root !== place.root || isForeign(ctx.session.header)) return endJournal(journalOf(ctx));
  const work = (signal: AbortSignal) => carryOutNoted(ctx, place, journal, signal);
  // A running turn is not waited for: it should not work longer than necessary with half of the files restored.
  await (ctx.session.held ? work(ctx.session.stopping) : whileNothingRuns(ctx, work));
}

/** Runs `work` while no turn can start, and waits for its end even when it is cancelled. Throws CHECKPOINT_BUSY. */
async function whileNothingRuns<R>(ctx: Context, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  let working: Promise<R> | undefined;
  try {
    return await ctx.agent.betweenTurns((signal) => {
      working = work(signal);
      return working;
    });
  } catch (thrown) {
    await working?.catch(() => {});
    throw ["AGENT_BUSY", "LOG_BUSY"].includes(codeOf(thrown)) ? errors.CHECKPOINT_BUSY() : thrown;
  }
}

async function carryOutNoted(ctx: Context, place: Place, journal: Journal, signal: AbortSignal): Promise<Restored> {
  const done = await carryOut(place, journal, signal);
  // The session is being closed; its next opening finishes the restore.
  if (ctx.session.stopping.aborted && signal.aborted) return done;
  const restored = new Set(done.restored);
  const files = journal.steps.filter(({ path }) => restored.has(path));
  const data: Checkpoint = { v: 1, hidden: true, calls: [], files, notCovered: [], restored: journal.target };
  if (files.length > 0) await ctx.session.append("custom", { kind: KIND, data });
  endJournal(journalOf(ctx));
  return done;
}

/** Stores the present contents before they are replaced. Contents that cannot be stored are replaced only with `overwrite`. */
async function keepPresent(
  place: Place,
  steps: readonly Step[],
  { overwrite, signal }: { overwrite: boolean; signal: AbortSignal },
) {
  const keeper = new Keeper(place.blobs, { maxFileBytes: place.maxFileBytes, maxTurnBytes: Number.POSITIVE_INFINITY });
  const moves: Journal["steps"] = [];
  const skipped: NotCovered[] = [];
  const pause = slices();
  for (const { path, present, target, conflict } of steps) {
    await pause();
    signal.throwIfAborted();
    const kept = keepNow(place, keeper, path, present);
    const reason = typeof kept === "string" ? kept : overwrite ? undefined : (conflict ?? changedTo(kept, present));
    if (typeof kept === "string" || reason !== undefined) skipped.push({ path, reason: reason as string });
    else moves.push({ path, before: kept, after: target });
  }
  return { moves, skipped };
}

function changedTo(kept: FileState, present: FileState): string | undefined {
  if (same(kept, present)) return undefined;
  return kept.kind === "uncovered" ? kept.reason : "it was changed meanwhile";
}

/** The stored state; a string is the reason why the path cannot be read. */
function keepNow(place: Place, keeper: Keeper, path: string, present: FileState): FileState | string {
  if (present.kind !== "file") return present;
  return lookAt(place, path, present.size, (bytes, mode) => keeper.keep(bytes, mode));
}

/** The place of an event in the log: its seq. Throws CHECKPOINT_TARGET. */
function placeOf({ tree }: Session, id: string): number {
  const place = tree.isPath(id) ? tree.get(id)?.seq : undefined;
  if (place === undefined) throw errors.CHECKPOINT_TARGET({ id });
  return place;
}

function historyOf(ctx: Context): History {
  return new History(ctx.session, movedPaths(ctx.session.header, placeFor(ctx)));
}

function placeFor(ctx: Context): Place {
  const { root, cwd } = ctx.find("workspace") ?? { root: process.cwd(), cwd: process.cwd() };
  const redact = (text: string) => ctx.find("secrets")?.redact(text) ?? text;
  return { root, cwd, blobs: ctx.blobs, maxFileBytes: ctx.config.maxFileBytes, redact };
}
