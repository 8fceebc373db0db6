import { realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { SkillFinding } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Skills } from "../load/skills.ts";
import { readSkill } from "./read.ts";
import { type SkillFolder, skillFolders } from "./walk.ts";

export interface Checked {
  file: string;
  findings: SkillFinding[];
}

/** Checks skills against the open format: those at a path, one by name, or all except the shipped ones. */
export async function check(skills: Skills, asked: string | undefined): Promise<Checked[]> {
  const look = await skills.ready();
  const skipped = look.skipped.map(({ folder, reason }) => broken(join(folder, "SKILL.md"), reason));
  if (asked === undefined)
    return [...look.skills.filter(({ source }) => source !== "shipped").map(fromLook), ...skipped];
  const named = look.skills.find(({ name }) => name === asked);
  return named ? [fromLook(named)] : checkPath(pathOf(skills, asked), asked);
}

function fromLook({ folder, file, warnings }: { folder: string; file: string; warnings: readonly SkillFinding[] }) {
  return { file: join(folder, file), findings: [...warnings] };
}

function pathOf({ ctx }: Skills, asked: string): string {
  const path = isAbsolute(asked) ? asked : resolve(ctx.find("workspace")?.cwd ?? process.cwd(), asked);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw errors.SKILL_PATH({ path: asked });
  return realpathSync(stat.isDirectory() ? path : dirname(path));
}

async function checkPath(path: string, asked: string): Promise<Checked[]> {
  const { folders, note } = skillFolders(path, true);
  if (folders.length === 0) throw errors.SKILL_PATH({ path: asked });
  const files = await Promise.all(folders.map(checkFolder));
  return note === undefined ? files : [...files, broken(path, note)];
}

async function checkFolder(folder: SkillFolder): Promise<Checked> {
  const file = join(folder.path, folder.file);
  const whole = await readSkill(folder);
  return "reason" in whole ? broken(file, whole.reason) : { file, findings: whole.findings };
}

/** A finding without the file name that the reason starts with, since the file is printed anyway. */
function broken(file: string, reason: string): Checked {
  const prefix = `${basename(file)}: `;
  const message = reason.startsWith(prefix) ? reason.slice(prefix.length) : reason;
  return { file, findings: [{ line: 1, level: "error", message }] };
}
