import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionProblem } from "@scorel/extensions/contract";
import type { KernelEntry } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { isWithin } from "@scorel/kit/files/paths";
import type { Project } from "@scorel/trust/loader";
import { packagesOf } from "../layers/layers.ts";
import { isExtensionOff, switchedOff } from "../layers/merge.ts";
import type { Resolution } from "./resolution.ts";

/**
 * The entry that denies the actions which known guards would have checked that are not running now, and records the guards of running
 * extensions. No entry if the session has no extensions and no guard was recorded. Throws TRUST_FILE.
 */
export async function guardEntries(
  resolution: Resolution,
  project: Project | undefined,
  entries: readonly KernelEntry[],
  problems: readonly ExtensionProblem[],
): Promise<KernelEntry[]> {
  if (entries.length === 0 && !existsSync(join(userDir(), "trust.json"))) return [];
  const { forgetGuards, guardFolder, knownGuards, noteGuards } = await import("@scorel/trust/guards");
  const { merged, found } = resolution;
  const offByUser = merged.layers.filter(({ kind }) => kind === "user").flatMap(switchedOff);
  await forgetGuards(({ id }) => isExtensionOff(merged, id) && offByUser.some(([off]) => off === id));
  const folders = [userDir(), ...packagesOf(merged.layers).map(({ folder }) => folder)];
  if (project?.trusted) folders.push(project.dir);
  const known = knownGuards().filter((guard) => {
    if (!folders.includes(guard.folder) || isExtensionOff(merged, guard.id)) return false;
    const winner = found.extensions.find(({ id }) => id === guard.id);
    if (winner) return guardFolder(winner) === guard.folder;
    // Trust in projects and presets covers the exact files, so if one is missing, the user has accepted its removal.
    return guard.folder === userDir() || existsSync(guard.path);
  });
  if (entries.length === 0 && known.length === 0) return [];
  const { guardKeeper } = await import("@scorel/extensions/guards");
  const loaded = new Set(entries.map(({ plugin }) => plugin.id));
  const expected = known.map(({ id, hooks, path }) => {
    if (loaded.has(id)) return { id, hooks };
    const problem =
      problems.find(({ plugin }) => plugin === id) ?? problems.find(({ origin }) => isWithin(origin, path));
    return { id, hooks, missing: problem?.message ?? `Its file ${path} is gone.` };
  });
  const note = (guarded: ReadonlyMap<string, ReadonlySet<string>>) =>
    noteGuards(
      resolution.extensions.flatMap((file) => {
        const hooks = guarded.get(file.id);
        return hooks ? [{ file, hooks }] : [];
      }),
    );
  return [guardKeeper(entries, expected, note)];
}
