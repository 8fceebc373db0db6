import { dirname, relative, resolve, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { presetFile } from "@scorel/kit/files/home";
import type { Tree } from "@scorel/kit/files/tree";
import { nearest } from "@scorel/kit/values/nearest";
import type { PackageLock } from "../contract.ts";
import { errors } from "../errors.ts";
import type { PresetKnowledge } from "./knowledge.ts";

interface Looking {
  /** The preset's future name. */
  name: string;
  tree: Tree;
  lock: PackageLock;
  known: PresetKnowledge;
}

/**
 * Checks that everything that a staged preset extends is available to all of its users: its own files, presets that
 * ship with Scorel, and installed presets. Throws PRESET_EXTENDS for anything else, such as a file that only its author
 * has in ~/.scorel/presets.
 */
export function assertComplete(looking: Looking): void {
  const done = new Set<string>();
  const visit = (file: string, open: readonly string[]): void => {
    for (const { preset, place, isPath } of extendedBy(looking, file)) {
      const refuse = (reason: string) => errors.PRESET_EXTENDS({ name: looking.name, place, preset, reason });
      const next = isPath ? fileIn(looking.tree, file, preset) : undefined;
      const reason = isPath ? reasonAgainstPath(next, looking.tree) : reasonAgainstName(preset, looking);
      if (reason !== undefined) throw refuse(reason);
      if (next === undefined || done.has(next)) continue;
      if (next === file || open.includes(next)) throw refuse("which extends this file in turn");
      visit(next, [...open, file]);
    }
    done.add(file);
  };
  visit(presetFile, []);
}

/** The presets that a file extends; empty for text that is not TOML, which the review reports. */
function extendedBy({ tree, known }: Looking, file: string): ReturnType<PresetKnowledge["extendedBy"]> {
  try {
    return known.extendedBy(file, tree.files.get(file)?.toString("utf8") ?? "");
  } catch (thrown) {
    if (codeOf(thrown) === "CONFIG_TOML") return [];
    throw thrown;
  }
}

/** Resolves a path in the preset's folder to a file; for a folder, to the preset.toml in it. */
function fileIn({ root, files }: Tree, from: string, path: string): string {
  const file = relative(root, resolve(root, dirname(from), path))
    .split(sep)
    .join("/");
  const inFolder = file === "" ? presetFile : `${file}/${presetFile}`;
  return files.has(inFolder) ? inFolder : file;
}

function reasonAgainstPath(file: string | undefined, { files }: Tree): string | undefined {
  if (file === undefined || files.has(file)) return undefined;
  return file.split("/")[0] === ".." ? "which is outside of its folder" : "which is not in its folder";
}

function reasonAgainstName(preset: string, { name, lock, known }: Looking): string | undefined {
  if (preset === name) return "which is its own name";
  const names = [...known.shipped(), ...Object.keys(lock)];
  if (names.includes(preset)) return undefined;
  const file = known.ownFile(preset);
  if (file !== undefined) return `which is ${file} on this machine and not part of it`;
  const meant = nearest(preset, names);
  return `which neither ships with Scorel nor is installed${meant === undefined ? "" : ` (did you mean "${meant}"?)`}`;
}
