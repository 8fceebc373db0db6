import { basename } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { TrustedProject, TrustReview } from "@scorel/trust/contract";
import type { Asked } from "../composition/asked.ts";
import { type PresetGround, presetAt, presetGroundOf } from "../store/package.ts";
import { readTrust, type TrustEntry } from "./file.ts";
import { itemsOfPreset } from "./items.ts";
import { readPresetTree } from "./preset-tree.ts";
import { putTrust, reviewOf } from "./record.ts";

/**
 * What a preset that is named by its path wants to be trusted with; undefined when it is trusted already, unless `again`.
 * Throws TRUST_TREE and TRUST_FILE.
 */
export async function reviewPreset(
  ground: PresetGround,
  asked: Asked,
  again: boolean,
): Promise<TrustReview | undefined> {
  const { path } = ground;
  const entry = entryOf(path);
  if (!again && entry?.dev) return undefined;
  const tree = readPresetTree(ground);
  if (!again && entry?.hash === tree.hash) return undefined;
  const items = await itemsOfPreset(tree, ground.isPackage ? basename(path) : undefined, asked);
  return reviewOf("presets", tree, { path, folders: [path], items }, entry);
}

/** The presets that are trusted by their path, and whether they have changed. */
export function trustedPresets(): TrustedProject[] {
  const { presets = {} } = readTrust();
  return Object.entries(presets).map(([path, entry]) => ({ path, state: stateOf(path, entry), since: entry.since }));
}

/** Ends trust in a preset; answers its path. One that is gone is known by its path alone. */
export async function distrustPreset(path: string): Promise<string | undefined> {
  for (const each of new Set([presetAt(path)?.path ?? path, presetGroundOf(path).path]))
    if (entryOf(each) && (await putTrust("presets", each, () => undefined))) return each;
  return undefined;
}

function entryOf(path: string): TrustEntry | undefined {
  const { presets = {} } = readTrust();
  return Object.hasOwn(presets, path) ? presets[path] : undefined;
}

function stateOf(path: string, entry: TrustEntry): TrustedProject["state"] {
  const ground = presetAt(path);
  if (!ground) return "gone";
  if (entry.dev) return "dev";
  try {
    return readPresetTree(ground).hash === entry.hash ? "trusted" : "changed";
  } catch (thrown) {
    if (codeOf(thrown) === "TRUST_TREE") return "changed";
    throw thrown;
  }
}
