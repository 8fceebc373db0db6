import { join } from "node:path";
import { fold } from "./names.ts";
import { isWithin } from "./paths.ts";

/**
 * How tools may read a file below `~/.scorel`: `secret` never, `record` (data of Scorel about all projects) only with a person's approval of
 * this file, `written` (by a person) like any file outside of the project.
 */
export type OwnFile = "secret" | "record" | "written";

/** Keys (including those that identify this computer), tokens, sockets that allow everything, and temporary copies beside all of these. */
const SECRET = /^(?:auth\.json|cache\.key|host|logins|push\.json|relay|run)/;
/** Files that people write or install. Any other file is a record, so that a new kind of file is protected by default. */
const WRITTEN =
  /^(?:config\.toml.*|[^/]*\.md|commands|extensions|instructions|packages|presets|skills|skills\.lock\.json)$/;

/** The paths of the user's own folder: the usual one, and the one with all links resolved. */
export function ownFolders(home: string, realOf: (path: string) => string | undefined): string[] {
  const folder = join(home, ".scorel");
  return [...new Set([folder, realOf(folder) ?? folder])];
}

/** Returns a function that classifies an absolute path; it returns undefined for a path outside of the folders. Ignores case. */
export function ownFileTest(folders: readonly string[]): (path: string) => OwnFile | undefined {
  const starts = folders.map(folded);
  return (path) => {
    const name = folded(path);
    const start = starts.find((each) => isWithin(each, name) && each !== name);
    if (start === undefined) return undefined;
    const [first = ""] = name.slice(start.length + 1).split("/");
    if (SECRET.test(first)) return "secret";
    return WRITTEN.test(first) ? "written" : "record";
  };
}

/** Folds a path for comparison, ignoring case. Fast for ASCII paths, because searches test every file. */
function folded(path: string): string {
  if (!/[^ -~]|[. ](?:\/|$)/.test(path)) return path.toLowerCase();
  return path.split("/").map(fold).join("/");
}
