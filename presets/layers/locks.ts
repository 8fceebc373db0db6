import { basename } from "node:path";
import type { ExtensionFile } from "@scorel/extensions/contract";
import { presetsDir } from "@scorel/kit/files/home";
import { isWithin } from "@scorel/kit/files/paths";
import { dotted, type KeyPath, leavesOf } from "@scorel/kit/values/table";
import type { LockedSetting } from "@scorel/workspace/contract";
import type { ConfigProblem } from "./check.ts";
import { isOfProject, type Layer, placeOf } from "./layer.ts";
import { listed, mergeLayers, switchedOff, tablesIn } from "./merge.ts";
import { parsePath } from "./schema.ts";

/** A key or table that no project may change. */
export interface Lock {
  path: readonly string[];
  layer: Layer;
  /** `file:line` of the lock. */
  place: string;
}

/** The locks of all layers, in their order. Locks in a project's own files have no effect. */
export function locksOf(layers: readonly Layer[]): Lock[] {
  return layers.flatMap((layer) =>
    layer.kind === "project"
      ? []
      : listed(layer, ["locked"]).flatMap(([text, place]) => {
          const path = parsePath(text);
          return path ? [{ path, layer, place }] : [];
        }),
  );
}

/** The locks in the form that sessions receive. */
export function lockedSettings(layers: readonly Layer[]): LockedSetting[] {
  return locksOf(layers).map(({ path, layer, place }) => {
    const preset = presetName(layer);
    return { setting: dotted(path), ...(preset !== undefined && { preset }), place };
  });
}

/** The name of a layer that is a preset; undefined for files of the user's configuration, which are not named. */
function presetName({ pack, path, kind }: Layer): string | undefined {
  if (pack) return pack.name;
  return kind === "user" && isWithin(presetsDir(), path) ? basename(path, ".toml") : undefined;
}

/** The lock on a key, on a table around it, or on a key in it. */
export function lockAt(locks: readonly Lock[], path: KeyPath): Lock | undefined {
  return locks.find((lock) => overlaps(lock.path, path));
}

/**
 * Locked settings that a project changes, each with both places. Presets that the project extends count as the project's, even below the
 * lock, because some options join lists. Presets that the locking preset extends do not.
 */
export function breachesOf(layers: readonly Layer[], shadowing: readonly Shadowing[]): ConfigProblem[] {
  const locks = locksOf(layers);
  const projectLayers = layers.filter(isOfProject);
  return [
    ...locks.flatMap((lock) =>
      projectLayers.filter((layer) => !isPartOf(layer, lock)).flatMap((layer) => breachesBy(layer, lock, layers)),
    ),
    ...locks.flatMap((lock) =>
      shadowing
        .filter(({ by }) => by.id === lock.path[0] && isTheirs(by, projectLayers))
        .map(({ by }) => shadows(by, lock)),
    ),
  ];
}

/** An extension `by` that is loaded instead of the extension `of` with the same id. */
export interface Shadowing {
  by: ExtensionFile;
  of: ExtensionFile;
}

function breachesBy(layer: Layer, lock: Lock, layers: readonly Layer[]): ConfigProblem[] {
  const { path, place } = lock;
  const [id = ""] = path;
  const before = layers.slice(0, layers.indexOf(lock.layer) + 1);
  const isOff = mergeLayers(before).without.has(id);
  const values = leavesOf(Object.fromEntries(tablesIn(layer)), []).filter((leaf) => overlaps(path, leaf.path));
  const off = switchedOff(layer).filter(([each]) => each === id);
  const on = listed(layer, ["use"]).filter(([each]) => each === id && isOff);
  return [
    ...values.map((leaf) =>
      locked(`${dotted(leaf.path)} is locked (${place}), so a project cannot set it (${placeOf(layer, leaf.path)})`),
    ),
    ...off.map(([, at]) => locked(`"${id}" is locked (${place}), so a project cannot leave it out (${at})`)),
    ...on.map(([, at]) => locked(`"${id}" is locked and switched off (${place}), so a project cannot use it (${at})`)),
  ];
}

function shadows({ id, path }: ExtensionFile, { place }: Lock): ConfigProblem {
  return locked(`"${id}" is locked (${place}), so a project cannot put its own extension in its place (${path})`);
}

function isPartOf({ path, askedBy = [] }: Layer, lock: Lock): boolean {
  return [path, ...askedBy.map((layer) => layer.path)].includes(lock.layer.path);
}

function isTheirs({ of, within }: ExtensionFile, projectLayers: readonly Layer[]): boolean {
  return of === "project" || (of === "preset" && projectLayers.some(({ pack }) => pack?.root === within));
}

function overlaps(a: KeyPath, b: KeyPath): boolean {
  const length = Math.min(a.length, b.length);
  return length > 0 && a.slice(0, length).every((key, index) => key === String(b[index]));
}

const locked = (message: string): ConfigProblem => ({ code: "CONFIG_LOCKED", message });
