import { codeOf } from "@scorel/kernel";
import { canonical } from "@scorel/kit/files/paths";
import type { Tree } from "@scorel/kit/files/tree";
import type { TrustedProject, TrustReview, TrustService } from "../contract.ts";
import { forgetGuards } from "../held/guards.ts";
import { confirmHeld } from "../held/held.ts";
import type { LayerKnowledge, OwnExtensions, TrustRun } from "../loader.ts";
import { readTrustTree } from "../read-tree.ts";
import { putDev, putTrust, reviewOf } from "../record/entries.ts";
import { readTrust, type TrustEntry } from "../record/file.ts";
import { presetAt, type TrustTarget, targetOf, targetsOf } from "../targets.ts";
import { entryOf, isCovered, isDeveloped } from "../use/projects.ts";
import { itemsIn } from "./items.ts";
import { distrustPreset, reviewPreset, trustedPresets } from "./presets.ts";

/** The dependencies that the loader passes to the service. */
export interface TrustGiven {
  layers: LayerKnowledge;
  /** Returns the user's own extensions, and those of the user's presets. */
  own(): Promise<OwnExtensions>;
  /** Returns the user's extensions that have to be confirmed. */
  held: TrustService["held"];
}

/** Creates the service `trust`, which the commands and the question at start use. */
export function createTrust(run: TrustRun, { layers, own, held }: TrustGiven): Omit<TrustService, "tell"> {
  return {
    async review(cwd, again = false) {
      const preset = again ? presetAt(cwd) : undefined;
      if (preset) return await reviewPreset(preset, layers, again);
      const reviews = await Promise.all(
        targetsOf(canonical(cwd)).map((target) => reviewTarget(target, run, { layers, own, again })),
      );
      const found = reviews.filter((review) => review !== undefined);
      const open = found.filter(({ parts }) => parts.some(({ state }) => state !== "trusted"));
      return togetherOf(open.length > 0 ? open : found);
    },
    async list() {
      const projects = Object.entries(readTrust().projects).map(([path, entry]) => ({
        path,
        state: stateOf(path, entry),
        since: entry.since,
      }));
      return [...projects, ...trustedPresets(layers)];
    },
    async trustByPath(cwd) {
      const at = canonical(cwd);
      const preset = presetAt(at);
      const path = preset?.path ?? targetOf(at)?.path ?? at;
      await putDev(preset ? "presets" : "projects", path);
      return path;
    },
    async remove(cwd) {
      const at = canonical(cwd);
      const preset = await distrustPreset(at);
      if (preset !== undefined) return preset;
      // If the folder has nested skills, which are trusted separately, their trust ends first and the project stays
      // trusted.
      for (const path of [...targetsOf(at).map((target) => target.path), at].toReversed())
        if (await putTrust("projects", path, () => undefined)) return path;
      return undefined;
    },
    held,
    confirm: confirmHeld,
    forget: (extension) => forgetGuards(({ id }) => id === extension),
  };
}

async function reviewTarget(
  target: TrustTarget,
  run: TrustRun,
  { layers, own, again }: Pick<TrustGiven, "layers" | "own"> & { again: boolean },
): Promise<TrustReview | undefined> {
  const entry = entryOf(target);
  if (!again && (isDeveloped(target) || isCovered(run, target))) return undefined;
  const tree = again ? readTrustTree(target.root, target.folders) : readable(target);
  if (!tree || tree.files.size === 0 || (!again && entry?.hash === tree.hash)) return undefined;
  const { path, folders } = target;
  return reviewOf("projects", tree, { path, folders, items: await itemsIn(tree, target, layers, await own()) }, entry);
}

/** Merges the reviews of a project and of the skills nested in it, so that the user is asked once. */
function togetherOf([first, ...others]: readonly TrustReview[]): TrustReview | undefined {
  if (!first || others.length === 0) return first;
  const all = [first, ...others];
  const changes = all.flatMap((review) => review.changes ?? []);
  return {
    path: first.path,
    folders: all.flatMap(({ folders }) => folders),
    parts: all.flatMap(({ parts }) => parts),
    items: all.flatMap(({ items }) => items),
    ...(changes.length > 0 && { changes }),
    texts: () => all.flatMap((review) => review.texts()),
    async accept() {
      for (const review of all) await review.accept();
    },
  };
}

/**
 * The files of a target; undefined when they cannot be trusted: the user is not asked about them then, and `scorel
 * trust add` says why.
 */
function readable({ root, folders }: TrustTarget): Tree | undefined {
  try {
    return readTrustTree(root, folders);
  } catch (thrown) {
    if (codeOf(thrown) === "TRUST_TREE") return undefined;
    throw thrown;
  }
}

function stateOf(path: string, entry: TrustEntry): TrustedProject["state"] {
  const target = targetsOf(path).find((each) => each.path === path);
  if (!target) return "gone";
  if (entry.dev) return "dev";
  return readable(target)?.hash === entry.hash ? "trusted" : "changed";
}
