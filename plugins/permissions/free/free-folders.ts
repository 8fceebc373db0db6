import { resolve } from "node:path";
import type { Workspace } from "@scorel/workspace/contract";
import { kindOf, leadsTo } from "../files/file-cache.ts";
import { isInside } from "../files/paths.ts";
import type { Unit } from "../shell/shell.ts";

const MAX_FOLDERS = 8;

/**
 * Lists every folder that parts of a command may run in, by given and by real path; undefined when unknown, or when one is
 * outside of the project. Which part runs where is not tracked, so each part must be free in all of these folders.
 */
export function foldersOf(units: readonly Unit[], workspace: Workspace): string[] | undefined {
  const moves = units.map(targetOf).filter((to) => to !== undefined);
  if (moves.includes(null)) return undefined;
  const start = resolve(workspace.cwd);
  const folders = new Set([start, leadsTo(start) ?? start]);
  const reached = new Set<string>();
  // The set grows while it is iterated: in a loop, each part may run after any other.
  for (const folder of folders)
    for (const to of moves as string[]) {
      const path = resolve(folder, to);
      if (kindOf(path) !== "folder") continue;
      if (!isInside(path, workspace) || folders.size > MAX_FOLDERS) return undefined;
      reached.add(to);
      folders.add(path).add(leadsTo(path) ?? path);
    }
  return reached.size === new Set(moves).size ? [...folders] : undefined;
}

/** The target of `cd`: null when unknown, undefined for any other command. */
function targetOf({ tokens }: Unit): string | null | undefined {
  const [name, to, ...more] = tokens.map(({ kind, value }) => (kind === "word" ? value : undefined));
  if (!/^(?:cd|pushd|popd)$/.test(name ?? "")) return undefined;
  // Only `cd` with one plain path is understood; CDPATH would make it search other folders.
  const isKnown = name === "cd" && to !== undefined && more.length === 0 && !/^[-+]|^$/.test(to);
  return isKnown && !process.env.CDPATH ? to : null;
}
