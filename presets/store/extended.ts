import { dirname, relative, resolve, sep } from "node:path";
import { codeOf, nearest } from "@scorel/kernel";
import type { PresetLock } from "@scorel/packages/contract";
import { errors } from "../errors.ts";
import { type Layer, parseLayer } from "../layers/layer.ts";
import { extended } from "../layers/layers.ts";
import { isPath, namesIn, presetFileIn } from "../layers/preset-file.ts";
import { projectDir, shippedPresets, userDir } from "../paths.ts";
import type { Tree } from "../trust/tree.ts";
import { packageFile } from "./package.ts";

interface Looking {
  /** What the preset is to be called. */
  name: string;
  tree: Tree;
  lock: PresetLock;
  /** Where the command runs; a preset of a project there is named in the refusal. */
  cwd: string;
}

/**
 * Checks that everything a staged preset extends is there for each user of it: its own files, presets that ship with Scorel,
 * and installed ones. Throws PRESET_EXTENDS for anything else, such as a file that only its author has in ~/.scorel/presets.
 */
export function assertComplete(looking: Looking): void {
  const done = new Set<string>();
  const visit = (file: string, open: readonly string[]): void => {
    const layer = layerOf(looking.tree, file);
    for (const [preset, place] of layer ? extended(layer) : []) {
      const refuse = (reason: string) => errors.PRESET_EXTENDS({ name: looking.name, place, preset, reason });
      const next = isPath(preset) ? fileIn(looking.tree, file, preset) : undefined;
      const reason = isPath(preset) ? reasonAgainstPath(next, looking.tree) : reasonAgainstName(preset, looking);
      if (reason !== undefined) throw refuse(reason);
      if (next === undefined || done.has(next)) continue;
      if (next === file || open.includes(next)) throw refuse("which extends this file in turn");
      visit(next, [...open, file]);
    }
    done.add(file);
  };
  visit(packageFile, []);
}

/** Undefined for what is no TOML: the review shows that, and reading it says where it is wrong. */
function layerOf({ files }: Tree, file: string): Layer | undefined {
  try {
    return parseLayer(files.get(file)?.toString("utf8") ?? "", file, "user");
  } catch (thrown) {
    if (codeOf(thrown) === "CONFIG_TOML") return undefined;
    throw thrown;
  }
}

/** The file that a path names, relative to the preset's folder: a folder stands for the preset.toml in it. */
function fileIn({ root, files }: Tree, from: string, path: string): string {
  const file = relative(root, resolve(root, dirname(from), path))
    .split(sep)
    .join("/");
  const inFolder = file === "" ? packageFile : `${file}/${packageFile}`;
  return files.has(inFolder) ? inFolder : file;
}

function reasonAgainstPath(file: string | undefined, { files }: Tree): string | undefined {
  if (file === undefined || files.has(file)) return undefined;
  return file.split("/")[0] === ".." ? "which lies outside of its folder" : "which is not in its folder";
}

function reasonAgainstName(preset: string, { name, lock, cwd }: Looking): string | undefined {
  if (preset === name) return "which is its own name";
  const known = [...namesIn(shippedPresets), ...Object.keys(lock.presets)];
  if (known.includes(preset)) return undefined;
  const project = projectDir(cwd);
  for (const dir of [userDir(), ...(project === undefined ? [] : [project])]) {
    const file = presetFileIn(dir, preset);
    if (file !== undefined) return `which is ${file} on this machine and not part of it`;
  }
  const meant = nearest(preset, known);
  return `which neither ships with Scorel nor is installed${meant === undefined ? "" : ` (did you mean "${meant}"?)`}`;
}
