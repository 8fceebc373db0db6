import { posix } from "node:path";
import { filesBelow, seen } from "./walk.ts";

/**
 * The name of a known licence, such as `MIT` and `BSD-3-Clause`. Each repetition takes one digit or word, so that there is one way to match a
 * name: a file with a hundred digits in its name would otherwise be tried forever.
 */
const KNOWN =
  "(?:0?bsd|[al]?gpl|apache|artistic|boost|bsl|cc|epl|isc|lesser|mit|mpl|ofl|psf|unlicen[cs]e|wtfpl|zlib)(?:[-_ ]?(?:v?[0-9.]|by|clause|later|nc|nd|only|or|sa|zero))*";
const THIRD_PARTY = "third[-_ ]?party(?:[-_ ]?(?:software|licen[cs]es?|notices?|notice[-_ ]?text))*";

/** File names of licences without their ending. Licences are never needed for a task, but a guide about licences may be. */
const LICENCES = [
  new RegExp(`^(?:(?:un)?licen[cs]es?|copying|notices?)(?:[-_. ](?:${KNOWN}|${THIRD_PARTY}))?$`, "i"),
  new RegExp(`^${KNOWN}[-_. ](?:licen[cs]es?|copying|notices?)$`, "i"),
  new RegExp(`^${THIRD_PARTY}$`, "i"),
  // The name of what is licensed may come first, as in Inter-OFL.txt and Inter-LICENSE.txt.
  /[-_. ](?:LICEN[CS]ES?|COPYING)$/,
  /(?:^|[-_. ])ofl$/i,
];

/** The docs in a skill's folder, sorted; `others` says whether it has other files, such as scripts. */
export function docsIn(folder: string): { docs: string[]; others: boolean; note?: string } {
  const { files, note } = filesBelow(folder);
  const own = files.filter((path) => posix.basename(path).toLowerCase() !== "skill.md" && !isLicence(path));
  const docs = own.filter(isText);
  const others = own.length > docs.length;
  return { docs, others, ...(note !== undefined && { note }) };
}

function isLicence(path: string): boolean {
  const name = posix.basename(path).replace(/\.(?:md|txt|rst|html?|pdf)$/i, "");
  return LICENCES.some((licence) => licence.test(name));
}

function isText(path: string): boolean {
  return /\.(?:md|txt)$/i.test(path) && seen(path) === path;
}
