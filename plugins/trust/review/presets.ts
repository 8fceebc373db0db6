import { basename } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { TrustedProject, TrustReview } from "../contract.ts";
import type { LayerKnowledge } from "../loader.ts";
import { putTrust, reviewOf } from "../record/entries.ts";
import { readTrust, type TrustEntry } from "../record/file.ts";
import { type PresetTarget, presetAt, presetTargetOf } from "../targets.ts";
import { readPresetTree } from "../use/preset-tree.ts";
import { itemsOfPreset, packagesIn } from "./items.ts";

/**
 * Reviews a preset that is named by its path. Returns undefined when it is already trusted, unless `again` is set. Throws
 * TRUST_TREE and TRUST_FILE.
 */
export async function reviewPreset(
  target: PresetTarget,
  layers: LayerKnowledge,
  again: boolean,
): Promise<TrustReview | undefined> {
  const { path } = target;
  const entry = entryOf(path);
  if (!again && entry?.dev) return undefined;
  const tree = readPresetTree(target, layers);
  if (!again && entry?.hash === tree.hash) return undefined;
  const items = await itemsOfPreset(tree, target.isPackage ? basename(path) : undefined, layers);
  return reviewOf("presets", tree, { path, folders: [path], items: [...packagesIn(tree), ...items] }, entry);
}

/** Reviews the preset at a path; undefined when there is none or it is already trusted. */
export async function reviewPresetAt(path: string, layers: LayerKnowledge): Promise<TrustReview | undefined> {
  const target = presetAt(path);
  return target && (await reviewPreset(target, layers, false));
}

/** The presets outside of ~/.scorel that are trusted, and whether they have changed. */
export function trustedPresets(layers: LayerKnowledge): TrustedProject[] {
  const { presets = {} } = readTrust();
  return Object.entries(presets).map(([path, entry]) => ({
    path,
    state: stateOf(path, entry, layers),
    since: entry.since,
  }));
}

/** Ends trust in a preset and returns its path. A preset whose files are gone is found by its path. */
export async function distrustPreset(path: string): Promise<string | undefined> {
  for (const each of new Set([presetAt(path)?.path ?? path, presetTargetOf(path).path]))
    if (entryOf(each) && (await putTrust("presets", each, () => undefined))) return each;
  return undefined;
}

function entryOf(path: string): TrustEntry | undefined {
  const { presets = {} } = readTrust();
  return Object.hasOwn(presets, path) ? presets[path] : undefined;
}

function stateOf(path: string, entry: TrustEntry, layers: LayerKnowledge): TrustedProject["state"] {
  const target = presetAt(path);
  if (!target) return "gone";
  if (entry.dev) return "dev";
  try {
    return readPresetTree(target, layers).hash === entry.hash ? "trusted" : "changed";
  } catch (thrown) {
    if (codeOf(thrown) === "TRUST_TREE") return "changed";
    throw thrown;
  }
}
