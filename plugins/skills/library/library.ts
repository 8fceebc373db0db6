import { statSync } from "node:fs";
import { join, posix, relative } from "node:path";
import type { PlacedSkills } from "@scorel/skillstore/contract";
import type { ShadowedSkill, Skill, SkillLook, SkippedSkill } from "../contract.ts";
import { lookAlikeKey } from "../format/look-alikes.ts";
import { readSkill, type Summary, summaryOf } from "../format/read.ts";
import { type SkillFolder, seen, skillFolders } from "../format/walk.ts";
import type { Root } from "./roots.ts";

/** File times have a resolution; a file changed more recently may change again with the same times. */
const TICK_MS = 2_000;

interface Known {
  /** Metadata of the file that was read. */
  mark: string;
  /** Whether any further write would change the metadata. */
  settled: boolean;
  found: Summary | { reason: string };
}

const UNSEEN = { reason: "its path has invisible characters" };

/** Finds the skills in all roots. Reads only files that changed since the last search. */
export class Library {
  /** How many files were read so far. */
  reads = 0;
  private known = new Map<string, Known>();
  private readonly now: () => number;

  constructor(now = Date.now) {
    this.now = now;
  }

  /** Searches the roots; `shipped` skills have the lowest rank. */
  async look(roots: readonly Root[], shipped: readonly Skill[]): Promise<SkillLook> {
    const skipped: SkippedSkill[] = [];
    const before = this.known;
    this.known = new Map();
    const found: Skill[] = [];
    for (const root of roots) found.push(...(await this.skillsIn(root, before, skipped)));
    return { ...ranked([...found, ...shipped]), skipped };
  }

  private async skillsIn(root: Root, before: ReadonlyMap<string, Known>, skipped: SkippedSkill[]): Promise<Skill[]> {
    // Links in a user's folders are the user's own; links in a project were checked when it was trusted.
    const { real, folders, note } = root.stored
      ? keptFolders(root.files, root.stored)
      : skillFolders(root.files, root.source !== "project");
    if (note !== undefined) skipped.push({ folder: root.folder, reason: note });
    const skills: Skill[] = [];
    for (const folder of folders) {
      const shown = shownAs(folder.path, real, root);
      const below = relative(real, folder.path);
      const summary = seen(below) === below ? await this.summaryOf(folder, shown, before) : UNSEEN;
      const reason = reasonAgainst(folder, summary, root);
      if ("reason" in summary || reason !== undefined) skipped.push({ folder: seen(shown), reason: reason as string });
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
    const { mark, at } = markOf(path);
    const kept = before.get(path) ?? this.known.get(path);
    const settled = Math.abs(this.now() - at) > TICK_MS;
    const known = kept?.settled && kept.mark === mark ? kept : { mark, settled, found: await this.read(folder, shown) };
    this.known.set(path, known);
    return known.found;
  }

  private async read(folder: SkillFolder, shown: string): Promise<Known["found"]> {
    this.reads++;
    const whole = await readSkill(folder, shown);
    return "reason" in whole ? whole : summaryOf(whole, shown);
  }
}

/**
 * Keeps the first skill of each name, including look-alike names, and lists the others as shadowed. A folder found twice is one
 * skill.
 */
function ranked(found: readonly Skill[]): Pick<SkillLook, "skills" | "shadowed"> {
  const chosen = new Map<string, Skill>();
  const shadowed: ShadowedSkill[] = [];
  for (const skill of found) {
    const { name, folder, source } = skill;
    const by = chosen.get(lookAlikeKey(name));
    if (!by) chosen.set(lookAlikeKey(name), skill);
    else if (by.files !== skill.files) shadowed.push({ name, folder, source, by: by.folder });
  }
  return { skills: [...chosen.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), shadowed };
}

function skillFrom(
  { path, file, root }: SkillFolder,
  { source, stored }: Root,
  folder: string,
  summary: Summary,
): Skill {
  const archive = stored && { name: stored.name, from: stored.from, tree: stored.tree };
  return { ...summary, source, folder, files: path, file, root, ...(archive && { archive }) };
}

/** The folders of installed skills. Their paths are known, so only each SKILL.md is read. */
function keptFolders(root: string, { skills }: PlacedSkills): ReturnType<typeof skillFolders> {
  const folders = skills.map(({ path, sha256 }) => {
    return { path: join(root, posix.dirname(path)), file: posix.basename(path), root, sha256 };
  });
  return { real: root, folders };
}

function reasonAgainst({ file, sha256 }: SkillFolder, found: Known["found"], { stored }: Root): string | undefined {
  const isOther = !("reason" in found) && sha256 !== undefined && sha256 !== found.digest;
  const reason = "reason" in found ? found.reason : isOther ? `${file} was changed after the installation` : undefined;
  return reason === undefined || !stored ? reason : `${reason}; to fetch it again: scorel skill update ${stored.name}`;
}

function shownAs(path: string, real: string, { folder }: Root): string {
  const below = relative(real, path);
  return below.startsWith("..") ? path : join(folder, below);
}

/** Metadata that changes whenever the file is written, and its ctime; 0 for a missing file. */
function markOf(path: string): { mark: string; at: number } {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return { mark: [dev, ino, size, mtimeMs, ctimeMs].join(" "), at: ctimeMs };
  } catch {
    return { mark: "", at: 0 }; // Reading the file reports the reason.
  }
}
