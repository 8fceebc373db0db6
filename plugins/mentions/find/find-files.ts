import { join } from "node:path";
import type { Operations } from "@scorel/host/contract";
import type { Mentions } from "../mentions.ts";
import { bestOf } from "./best.ts";
import { matchesIn, queryOf } from "./ranking.ts";

const DEFAULT_LIMIT = 20;

/** Finds files by parts of their paths. A file that was made a moment ago is found, too. */
export async function findFiles(
  { query, limit = DEFAULT_LIMIT }: Pick<Operations["find_files"]["params"], "query" | "limit">,
  mentions: Mentions,
): Promise<Operations["find_files"]["result"]> {
  const { index } = mentions;
  await index.ready();
  const wanted = queryOf(query);
  const hides = await hiddenIn(mentions);
  let found = bestOf(index.entries, wanted, limit, hides);
  if (found.length === 0 && wanted.terms.length > 0) {
    await index.refresh();
    found = bestOf(index.entries, wanted, limit, hides);
  }
  const files = found.map((entry) => ({
    path: entry.path.replace(/\/$/, ""),
    kind: entry.path.endsWith("/") ? ("folder" as const) : ("file" as const),
    matches: matchesIn(wanted, entry).filter((at) => at < entry.path.length),
  }));
  return { files, total: index.entries.length, ...(index.isCut && { cut: true as const }) };
}

/** Whether a name must not be shown, as in searches of the model. */
async function hiddenIn({ ctx, workspace }: Mentions): Promise<(path: string) => boolean> {
  const { cwd } = workspace();
  const hides = await ctx.find("permissions")?.hiddenIn(cwd, "names");
  return (path) => hides?.(join(cwd, path)) ?? false;
}
