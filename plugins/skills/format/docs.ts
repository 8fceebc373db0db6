import { posix } from "node:path";
import { filesBelow, seen } from "./walk.ts";

/** File names of licences, which are never needed for a task. */
const LICENCE =
  /^(?:un)?licen[cs]es?(?:[-_. ]|$)|(?:^|[-_. ])(?:un)?licen[cs]es?\.(?:md|txt)$|^(?:copying|notice)s?(?:[-_. ]|$)|third[-_ ]?party|(?:^|[-_. ])ofl\.txt$/i;

/** The docs in a skill's folder, sorted; `others` says whether it has other files, such as scripts. */
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
