import type { ExtensionProblem } from "@scorel/extensions/contract";
import { shipped } from "../catalogue.ts";
import { locksOf } from "../layers/locks.ts";
import { listed, type Merged } from "../layers/merge.ts";
import type { Resolution } from "./resolution.ts";

/** Extensions that a preset requires or locks and the user has not left out: id -> `file:line` of that entry. */
export function requiredExtensions({ layers, without }: Merged): ReadonlyMap<string, string> {
  const named = [
    ...layers.flatMap((layer) => listed(layer, ["requires", "plugins"])),
    ...locksOf(layers).map(({ path: [id = ""], place }) => [id, place] as const),
  ];
  return new Map(named.filter(([id]) => !shipped(id) && !without.has(id)));
}

/**
 * Messages about required extensions that cannot be loaded, each with the reason. Without them, a missing guard might not be noticed. An
 * extension of the user with the same id replaces the required one, whether or not it can be loaded.
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
      problems.find(({ plugin }) => plugin === id)?.message ??
      found.idle.find((idle) => idle.id === id)?.why ??
      "it was not found";
    return [`"${id}" is required (${place}), and without it no session begins: ${reason}`];
  });
}
