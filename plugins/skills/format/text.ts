import { statSync } from "node:fs";
import { join } from "node:path";
import { readWithin } from "@scorel/kit/files/read-within";
import type { Skill } from "../contract.ts";
import { errors } from "../errors.ts";
import { docsIn } from "./docs.ts";
import { readSkill } from "./read.ts";
import { assertSealed, sumsOf } from "./seal.ts";

/** The largest doc in bytes. Larger files are meant for searching, not for a prompt. */
const LARGEST_DOC = 256 * 1024;

/** A skill's current body and the paths of its other files. */
export interface SkillTexts {
  body: string;
  digest: string;
  /** Paths of its docs, sorted. */
  docs: string[];
  /** Their sizes in bytes, in the same order. */
  sizes: ReadonlyMap<string, number>;
  /** Whether it has files other than docs, such as scripts. */
  others: boolean;
  /** Why not all of its files were examined. */
  note?: string;
}
export interface DocText {
  path: string;
  digest: string;
  text: string;
}

/**
 * Reads a skill's body, and lists its docs. Throws SKILL_UNREADABLE, and SKILL_CHANGED for an installed skill whose
 * SKILL.md was changed.
 */
export async function textsOf(skill: Skill): Promise<SkillTexts> {
  const { name, folder, files, file, root } = skill;
  const whole = await readSkill({ path: files, file, root }, folder);
  if ("reason" in whole) throw errors.SKILL_UNREADABLE({ name, path: folder, reason: whole.reason });
  const sums = sumsOf(skill);
  assertSealed(skill, sums, file, whole.digest);
  const { docs: found, others, note } = docsIn(files);
  // Files added after the installation are not docs of the skill.
  const docs = sums ? found.filter((path) => sums.has(path)) : found;
  const sizes = new Map(docs.map((path) => [path, bytesIn(join(files, path))]));
  return { body: whole.text.body, digest: whole.digest, docs, sizes, others, ...(note !== undefined && { note }) };
}

/** Returns 0 for a file that was just removed. */
function bytesIn(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reads docs of a skill, sorted by path. Throws SKILL_UNREADABLE and SKILL_TOO_LARGE. */
export function docTexts(skill: Skill, paths: readonly string[], room: number): DocText[] {
  const { name, folder, files } = skill;
  const sums = paths.length > 0 ? sumsOf(skill) : undefined;
  const texts = [...new Set(paths)].sort().map((path): DocText => {
    const read = readWithin(join(files, path), files, LARGEST_DOC);
    if ("reason" in read) throw errors.SKILL_UNREADABLE({ name, path: join(folder, path), reason: read.reason });
    assertSealed(skill, sums, path, read.digest);
    return { path, digest: read.digest, text: read.text.replace(/\r\n?/g, "\n").trim() };
  });
  const sizes = texts.map(({ path, text }) => ({ path, bytes: Buffer.byteLength(text) }));
  if (sumOf(sizes) > room) throw errors.SKILL_TOO_LARGE({ name, sizes, room, fits: fittingIn(sizes, room) });
  return texts;
}

interface Size {
  path: string;
  bytes: number;
}

const sumOf = (sizes: readonly Size[]) => sizes.reduce((sum, { bytes }) => sum + bytes, 0);

/** As many docs as fit, smallest first. */
function fittingIn(sizes: readonly Size[], room: number): string[] {
  const bySize = [...sizes].sort((a, b) => a.bytes - b.bytes);
  return bySize.filter((_, at) => sumOf(bySize.slice(0, at + 1)) <= room).map(({ path }) => path);
}
