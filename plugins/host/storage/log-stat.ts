import { lstatSync, type Stats, statSync } from "node:fs";

/** The facts about a log, or about the link at its path if that cannot be followed; undefined if there is neither. */
export function statOfLog(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Reading the log will report the reason.
    return lstatSync(path, { throwIfNoEntry: false });
  }
}
