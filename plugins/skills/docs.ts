import { posix } from "node:path";
import { filesBelow, seen } from "./walk.ts";

/** Texts that say under which terms something may be used; nobody does a task by them. */
const LICENCE =
  /^(?:un)?licen[cs]es?(?:[-_. ]|$)|(?:^|[-_. ])(?:un)?licen[cs]es?\.(?:md|txt)$|^(?:copying|notice)s?(?:[-_. ]|$)|third[-_ ]?party|(?:^|[-_. ])ofl\.txt$/i;

/** The docs of a skill's folder, sorted, and whether it holds anything else, as scripts. */
export function docsIn(folder: string): { docs: string[]; others: boolean; note?: string } {
  const { files, note } = filesBelow(folder);
  const own = files.filter((path) => posix.basename(path).toLowerCase() !== "skill.md" && !isLicence(path));
  const docs = own.filter(isText);
  const others = own.length > docs.length;
  return { docs, others, ...(note !== undefined && { note }) };
}

function isLicence(path: string): boolean {
  return LICENCE.test(posix.basename(path));
}

function isText(path: string): boolean {
  return /\.(?:md|txt)$/i.test(path) && seen(path) === path;
}
