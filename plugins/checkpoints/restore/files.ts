import type { Session } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import type { Context } from "../context.ts";
import type { Checkpoint, FileState, NotCovered, Preview } from "../contract.ts";
import { errors } from "../errors.ts";
import { Keeper } from "../record/keeper.ts";
import { KIND, same } from "../record/state.ts";
import { History } from "./history.ts";
import { endJournal, type Journal, readJournal, writeJournal } from "./journal.ts";
import { journalOf } from "./journal-path.ts";
import { isForeign, lookAt, type Place, planFor, type Step } from "./plan.ts";
import { listChanges, preview } from "./preview.ts";
import { carryOut, type Restored } from "./restore.ts";

const foreign: Preview = {
  changes: [],
  notCovered: [{ path: ".", reason: errors.CHECKPOINT_FOREIGN().message }],
};

export function previewFiles(ctx: Context, targetEventId: string): Preview {
  const history = new History(ctx.session);
  const at = placeOf(ctx.session, history, targetEventId);
  return isForeign(ctx.session.header) ? foreign : preview(placeFor(ctx), history, at);
}

export function changesOf(ctx: Context): Preview {
  return isForeign(ctx.session.header) ? foreign : listChanges(placeFor(ctx), new History(ctx.session));
}

/** Restores files. There is no await between planning and the last file, so no turn can start in between. */
export async function restoreFiles(ctx: Context, targetEventId: string, overwrite: boolean): Promise<Restored> {
  const { session } = ctx;
  if (isForeign(session.header)) throw errors.CHECKPOINT_FOREIGN();
  if (session.held) throw errors.CHECKPOINT_BUSY();
  const place = placeFor(ctx);
  const history = new History(session);
  const { steps, notCovered } = planFor(place, history, placeOf(session, history, targetEventId));
  const { moves, skipped } = keepPresent(place, steps, overwrite);
  const fixed = [...notCovered, ...skipped];
  if (moves.length === 0) return { restored: [], skipped: fixed };
  const journal = writeJournal(journalOf(ctx), { root: place.root, target: targetEventId, steps: moves });
  const done = await carryOutNoted(ctx, place, journal);
  return { restored: done.restored.sort(), skipped: [...fixed, ...done.skipped] };
}

/** Finishes an interrupted restore, if any. */
export async function finishRestore(ctx: Context): Promise<void> {
  const place = placeFor(ctx);
  const journal = readJournal(journalOf(ctx));
  if (journal?.root === place.root && !isForeign(ctx.session.header)) await carryOutNoted(ctx, place, journal);
  else endJournal(journalOf(ctx));
}

async function carryOutNoted(ctx: Context, place: Place, journal: Journal): Promise<Restored> {
  const done = carryOut(place, journal);
  const files = journal.steps.filter(({ path }) => done.restored.includes(path));
  const data: Checkpoint = { v: 1, hidden: true, calls: [], files, notCovered: [], restored: journal.target };
  if (files.length > 0) await ctx.session.append("custom", { kind: KIND, data });
  endJournal(journalOf(ctx));
  return done;
}

/** Stores the present contents before they are replaced. Contents that cannot be stored are replaced only with `overwrite`. */
function keepPresent(place: Place, steps: readonly Step[], overwrite: boolean) {
  const keeper = new Keeper(place.blobs, { maxFileBytes: place.maxFileBytes, maxTurnBytes: Number.POSITIVE_INFINITY });
  const moves: Journal["steps"] = [];
  const skipped: NotCovered[] = [];
  for (const { path, present, target, conflict } of steps) {
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

/** The stored state; a text gives the reason why the path cannot be read. */
function keepNow(place: Place, keeper: Keeper, path: string, present: FileState): FileState | string {
  if (present.kind !== "file") return present;
  return lookAt(place, path, present.size, (bytes, mode) => keeper.keep(bytes, mode));
}

function placeOf(session: Session, history: History, id: string): number {
  const place = session.tree.isPath(id) ? history.placeOf(id) : undefined;
  if (place === undefined) throw errors.CHECKPOINT_TARGET({ id });
  return place;
}

function placeFor(ctx: Context): Place {
  const { root, cwd } = ctx.find("workspace") ?? { root: process.cwd(), cwd: process.cwd() };
  const redact = (text: string) => ctx.find("secrets")?.redact(text) ?? text;
  return { root, cwd, blobs: ctx.blobs, maxFileBytes: ctx.config.maxFileBytes, redact };
}
