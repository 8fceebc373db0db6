import type { ExtensionFile } from "@scorel/extensions/contract";
import { dotted, type KeyPath, leavesOf } from "@scorel/kit/values/table";
import type { ConfigProblem } from "./check.ts";
import { isOfProject, type Layer, placeOf } from "./layer.ts";
import { grammarKeys, listed, mergeLayers, switchedOff } from "./merge.ts";
import { parsePath } from "./schema.ts";

/** A key or table that no project may change. */
export interface Lock {
  path: readonly string[];
  layer: Layer;
  /** `file:line` of the lock. */
  place: string;
}

/** All locks of layers, weakest layer first. What a project's own files lock binds nobody. */
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

/** The lock that holds for a key: of it, of a table around it, or of something in it. */
export function lockAt(locks: readonly Lock[], path: KeyPath): Lock | undefined {
  return locks.find((lock) => overlaps(lock.path, path));
}

/**
 * What a project does against a lock, each with both places: its own files, and presets that it builds on, wherever they
 * stand, since the lists of some options are joined. Presets that the locking one builds on are part of what is locked.
 */
export function breachesOf(layers: readonly Layer[], shadowing: readonly Shadowing[]): ConfigProblem[] {
  const locks = locksOf(layers);
  const theirs = layers.filter(isOfProject);
  return [
    ...locks.flatMap((lock) =>
      theirs.filter((layer) => !isPartOf(layer, lock)).flatMap((layer) => breachesBy(layer, lock, layers)),
    ),
    ...locks.flatMap((lock) =>
      shadowing.filter(({ by }) => by.id === lock.path[0] && isTheirs(by, theirs)).map(({ by }) => shadows(by, lock)),
    ),
  ];
}

/** An extension, and the one of its id that is not loaded for it. */
export interface Shadowing {
  by: ExtensionFile;
  of: ExtensionFile;
}

function breachesBy(layer: Layer, lock: Lock, layers: readonly Layer[]): ConfigProblem[] {
  const { path, place } = lock;
  const [id = ""] = path;
  const before = layers.slice(0, layers.indexOf(lock.layer) + 1);
  const isOff = mergeLayers(before).without.has(id);
  const values = leavesOf(Object.fromEntries(tablesOf(layer)), []).filter((leaf) => overlaps(path, leaf.path));
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

function isTheirs({ of, within }: ExtensionFile, theirs: readonly Layer[]): boolean {
  return of === "project" || (of === "preset" && theirs.some(({ pack }) => pack?.root === within));
}

function tablesOf({ table }: Layer): [id: string, value: unknown][] {
  return Object.entries(table).filter(([key]) => !grammarKeys.includes(key));
}

function overlaps(a: KeyPath, b: KeyPath): boolean {
  const length = Math.min(a.length, b.length);
  return length > 0 && a.slice(0, length).every((key, index) => key === String(b[index]));
}

const locked = (message: string): ConfigProblem => ({ code: "CONFIG_LOCKED", message });
