import type { ExtensionProblem } from "@scorel/extensions/contract";
import { shipped } from "../catalogue.ts";
import { locksOf } from "../layers/locks.ts";
import { listed, type Merged } from "../layers/merge.ts";
import type { Resolution } from "./resolution.ts";

/** Ids of extensions that a preset requires or locks, unless the user has left them out -> `file:line` that says so. */
export function requiredExtensions({ layers, without }: Merged): ReadonlyMap<string, string> {
  const named = [
    ...layers.flatMap((layer) => listed(layer, ["requires", "plugins"])),
    ...locksOf(layers).map(({ path: [id = ""], place }) => [id, place] as const),
  ];
  return new Map(named.filter(([id]) => !shipped(id) && !without.has(id)));
}

/**
 * What is required and cannot be loaded, each with the reason: a guard that is missing would be missed by nobody. The
 * user's own extension of the same id stands in for it, loaded or not.
 */
export function missingExtensions(
  { merged, found }: Resolution,
  loaded: readonly string[],
  problems: readonly ExtensionProblem[],
): string[] {
  return [...requiredExtensions(merged)].flatMap(([id, place]) => {
    const file = found.extensions.find((extension) => extension.id === id);
    if (loaded.includes(id) || file?.of === "user") return [];
    const reason =
      problems.find(({ origin }) => origin === file?.path)?.message ??
      problems.find(({ message }) => message.includes(`"${id}"`))?.message ??
      found.idle.find((idle) => idle.id === id)?.why ??
      "it was not found";
    return [`"${id}" is required (${place}), and without it no session begins: ${reason}`];
  });
}
