import { join } from "node:path";
import type { Operations } from "@scorel/host/contract";
import { suggested } from "../attach/sources.ts";
import type { Mentions } from "../mentions.ts";
import { bestOf } from "./best.ts";
import { matchesIn, queryOf } from "./ranking.ts";

const DEFAULT_LIMIT = 20;
/** Milliseconds that a partial answer waits for more names. */
const PATIENCE_MS = 100;

type Params = Operations["find_files"]["params"];

/** Finds files by parts of their paths. Lists the files again if nothing is found, so that a new file is found, too. */
export async function findFiles(
  { query, limit = DEFAULT_LIMIT, partial = false }: Pick<Params, "query" | "limit" | "partial">,
  mentions: Mentions,
): Promise<Operations["find_files"]["result"]> {
  const { index } = mentions;
  const wait = (work: Promise<void>) => (partial ? within(work, PATIENCE_MS) : work);
  await wait(index.ready());
  const wanted = queryOf(query);
  const hides = await hiddenIn(mentions);
  let found = bestOf(index.entries, wanted, limit, hides);
  // Not for a client that asks again for more names, for which the files were just listed.
  if (found.length === 0 && wanted.terms.length > 0 && !(partial && (index.isReading || index.isFresh))) {
    await wait(index.refresh());
    found = bestOf(index.entries, wanted, limit, hides);
  }
  const files = found.map((entry) => ({
    path: entry.path.replace(/\/$/, ""),
    kind: entry.path.endsWith("/") ? ("folder" as const) : ("file" as const),
    matches: matchesIn(wanted, entry).filter((at) => at < entry.path.length),
  }));
  const state = {
    ...(index.isCut && { cut: true as const }),
    ...(partial && index.isReading && { reading: true as const }),
  };
  const { first, others } = suggested(query, mentions);
  const other = (path: string) => ({ path, kind: "other" as const, matches: [] });
  return {
    files: [...first.map(other), ...files, ...others.map(other)].slice(0, limit),
    total: index.entries.length,
    ...state,
  };
}

/** Waits for work, but not longer than `ms` milliseconds. Rejects if the work rejects in that time. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Returns a function that says whether a name must not be shown, as in searches of the model. */
async function hiddenIn({ ctx, workspace }: Mentions): Promise<(path: string) => boolean> {
  const { cwd } = workspace();
  const hides = await ctx.find("permissions")?.hiddenIn(cwd, "names");
  return (path) => hides?.(join(cwd, path)) ?? false;
}
