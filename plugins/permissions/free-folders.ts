import { resolve } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import { kindOf, realOf } from "./looks.ts";
import { isInside } from "./paths.ts";
import type { Unit } from "./shell.ts";

const MAX_FOLDERS = 8;

/**
 * Every folder that the parts of a command may run in, by its name and by its real path; undefined when that cannot be told, or when
 * one of them is not a folder of the project. Which part runs where is not followed, so that a part has to be free in all of them.
 */
export function foldersOf(units: readonly Unit[], workspace: Workspace): string[] | undefined {
  const moves = units.map(targetOf).filter((to) => to !== undefined);
  if (moves.includes(null)) return undefined;
  const start = resolve(workspace.cwd);
  const folders = new Set([start, realOf(start) ?? start]);
  const reached = new Set<string>();
  // What is added on the way is looked at, too: in a loop each part runs after each other one.
  for (const folder of folders)
    for (const to of moves as string[]) {
      const path = resolve(folder, to);
      if (kindOf(path) !== "folder") continue;
      if (!isInside(path, workspace) || folders.size > MAX_FOLDERS) return undefined;
      reached.add(to);
      folders.add(path).add(realOf(path) ?? path);
    }
  return reached.size === new Set(moves).size ? [...folders] : undefined;
}

/** Where a part of a command moves to: null when that cannot be told, undefined when it does not. */
function targetOf({ tokens }: Unit): string | null | undefined {
  const [name, to, ...more] = tokens.map(({ kind, value }) => (kind === "word" ? value : undefined));
  if (!/^(?:cd|pushd|popd)$/.test(name ?? "")) return undefined;
  // In the folders of CDPATH it would find others of that name.
  const isKnown = name === "cd" && to !== undefined && more.length === 0 && !/^[-+]|^$/.test(to);
  return isKnown && !process.env.CDPATH ? to : null;
}
