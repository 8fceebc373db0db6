import { realpathSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { ShadowedSkill, Skill, SkillLook, SkippedSkill } from "./contract.ts";
import { readSkill, type Summary, summaryOf } from "./read.ts";
import type { Root } from "./roots.ts";
import { type SkillFolder, skillFolders } from "./walk.ts";

interface Known {
  /** Of the file that was read. */
  mark: string;
  found: Summary | { reason: string };
}

/** The skills of all roots. Reads again only the files that have changed since its last look. */
export class Library {
  /** Files that were read so far. */
  reads = 0;
  private known = new Map<string, Known>();

  /** What is there now; `shipped` come last. */
  async look(roots: readonly Root[], shipped: readonly Skill[]): Promise<SkillLook> {
    const skipped: SkippedSkill[] = [];
    const before = this.known;
    this.known = new Map();
    const found: Skill[] = [];
    for (const root of roots) found.push(...(await this.skillsIn(root, before, skipped)));
    return { ...ranked([...found, ...shipped]), skipped };
  }

  private async skillsIn(root: Root, before: ReadonlyMap<string, Known>, skipped: SkippedSkill[]): Promise<Skill[]> {
    // In a home links are the user's own; what a project may hold was settled when it was trusted.
    const { folders, note } = skillFolders(root.files, root.source !== "project");
    if (note !== undefined) skipped.push({ folder: root.folder, reason: note });
    const real = folders.length > 0 ? realpathSync.native(root.files) : root.files;
    const skills: Skill[] = [];
    for (const folder of folders) {
      const shown = shownAs(folder.path, real, root);
      const summary = await this.summaryOf(folder, shown, before);
      if ("reason" in summary) skipped.push({ folder: shown, reason: summary.reason });
      else skills.push(skillFrom(folder, root, shown, summary));
    }
    return skills;
  }

  private async summaryOf(
    folder: SkillFolder,
    shown: string,
    before: ReadonlyMap<string, Known>,
  ): Promise<Known["found"]> {
    const path = join(folder.path, folder.file);
    const mark = markOf(path);
    const kept = before.get(path) ?? this.known.get(path);
    const known = kept?.mark === mark ? kept : { mark, found: await this.read(folder, shown) };
    this.known.set(path, known);
    return known.found;
  }

  private async read(folder: SkillFolder, shown: string): Promise<Known["found"]> {
    this.reads++;
    const whole = await readSkill(folder, shown);
    return "reason" in whole ? whole : summaryOf(whole, shown);
  }
}

/** The first of each name counts, the others are named with the one that does. One folder found twice is one skill. */
function ranked(found: readonly Skill[]): Pick<SkillLook, "skills" | "shadowed"> {
  const chosen = new Map<string, Skill>();
  const shadowed: ShadowedSkill[] = [];
  for (const skill of found) {
    const { name, folder, source } = skill;
    const by = chosen.get(name);
    if (!by) chosen.set(name, skill);
    else if (by.files !== skill.files) shadowed.push({ name, folder, source, by: by.folder });
  }
  return { skills: [...chosen.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), shadowed };
}

function skillFrom({ path, file, root }: SkillFolder, { source }: Root, folder: string, summary: Summary): Skill {
  return { ...summary, source, folder, files: path, file, root };
}

function shownAs(path: string, real: string, { folder }: Root): string {
  const below = relative(real, path);
  return below.startsWith("..") ? path : join(folder, below);
}

/** What differs when a file was written again, whatever its name leads to. */
function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(" ") : "";
}
