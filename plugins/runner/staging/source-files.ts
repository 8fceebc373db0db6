import * as fs from "node:fs";
import { codeOf } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { Skill } from "@scorel/skills/contract";
import { errors } from "../errors.ts";

const MOST_FILES = 10_000;
const MOST_BYTES = 256 * 1024 * 1024;
/** Names of entries that belong to the workspace, not to the skill: links to its folders, and installed packages. */
export const OWN = new Set(["out", "work", "inputs", ".venv"]);

/** A file of a skill. */
export interface SourceFile {
  path: string;
  /** The real path to read from; for a link, its target. */
  from: string;
  mode: number;
  stat: fs.Stats;
  /** The skill's real folder. */
  root: string;
}

/** Lists the files of a skill, sorted by path. Throws RUN_STAGE. */
export function filesOf(skill: Skill): SourceFile[] {
  const root = realFolder(skill);
  const found: SourceFile[] = [];
  let bytes = 0;
  // Paths are concatenated as strings: for a thousand files, path functions would take most of the time.
  const visit = (prefix: string) => {
    for (const entry of fs.readdirSync(`${root}/${prefix}`, { withFileTypes: true })) {
      const path = prefix + entry.name;
      const full = `${root}/${path}`;
      if (OWN.has(path) || entry.name === ".git") continue;
      const { from, stat } = entry.isSymbolicLink()
        ? linked(full, root, skill, path)
        : { from: full, stat: fs.lstatSync(full) };
      if (stat.isDirectory() && !entry.isSymbolicLink()) visit(`${path}/`);
      if (!stat.isFile()) continue;
      found.push({ path, from, mode: stat.mode, stat, root });
      bytes += stat.size;
      if (found.length > MOST_FILES || bytes > MOST_BYTES)
        throw errors.RUN_STAGE({
          skill: skill.name,
          path: skill.folder,
          reason: "it has too many files, or too large ones",
        });
    }
  };
  visit("");
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function realFolder({ name: skill, files, folder: path }: Skill): string {
  try {
    return fs.realpathSync(files);
  } catch (thrown) {
    throw errors.RUN_STAGE({ skill, path, reason: `its folder cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
}

/** Resolves a link to the file that it leads to, which must be inside the skill. */
function linked(full: string, root: string, skill: Skill, path: string): { from: string; stat: fs.Stats } {
  const fail = (reason: string) => errors.RUN_STAGE({ skill: skill.name, path, reason });
  try {
    const from = fs.realpathSync(full);
    if (!isWithin(root, from)) throw fail("it is a link that leads out of the skill");
    return { from, stat: fs.statSync(from) };
  } catch (thrown) {
    throw codeOf(thrown) === "ENOENT" ? fail("it is a link to nothing") : thrown;
  }
}
