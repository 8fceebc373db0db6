import { basename } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { TrustedProject, TrustReview } from "../contract.ts";
import { type PresetGround, presetAt, presetGroundOf } from "../grounds.ts";
import type { LayerKnowledge } from "../loader.ts";
import { putTrust, reviewOf } from "../record/entries.ts";
import { readTrust, type TrustEntry } from "../record/file.ts";
import { readPresetTree } from "../use/preset-tree.ts";
import { itemsOfPreset } from "./items.ts";

/**
 * Reviews a preset that is named by its path. Returns undefined when it is already trusted, unless `again` is set. Throws
 * TRUST_TREE and TRUST_FILE.
 */
export async function reviewPreset(
  ground: PresetGround,
  layers: LayerKnowledge,
  again: boolean,
): Promise<TrustReview | undefined> {
  const { path } = ground;
  const entry = entryOf(path);
  if (!again && entry?.dev) return undefined;
  const tree = readPresetTree(ground, layers);
  if (!again && entry?.hash === tree.hash) return undefined;
  const items = await itemsOfPreset(tree, ground.isPackage ? basename(path) : undefined, layers);
  return reviewOf("presets", tree, { path, folders: [path], items }, entry);
}

/** Reviews the preset at a path; undefined when there is none or it is already trusted. */
export async function reviewPresetAt(path: string, layers: LayerKnowledge): Promise<TrustReview | undefined> {
  const ground = presetAt(path);
  return ground && (await reviewPreset(ground, layers, false));
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
  for (const each of new Set([presetAt(path)?.path ?? path, presetGroundOf(path).path]))
    if (entryOf(each) && (await putTrust("presets", each, () => undefined))) return each;
  return undefined;
}

function entryOf(path: string): TrustEntry | undefined {
  const { presets = {} } = readTrust();
  return Object.hasOwn(presets, path) ? presets[path] : undefined;
}

function stateOf(path: string, entry: TrustEntry, layers: LayerKnowledge): TrustedProject["state"] {
  const ground = presetAt(path);
  if (!ground) return "gone";
  if (entry.dev) return "dev";
  try {
    return readPresetTree(ground, layers).hash === entry.hash ? "trusted" : "changed";
  } catch (thrown) {
    if (codeOf(thrown) === "TRUST_TREE") return "changed";
    throw thrown;
  }
}
