import { type Expansion, expandGlob } from "./globs.ts";

/** A file or folder that a command names. */
export interface NamedFile {
  path: string;
  /** True when the word is certainly a file that the command uses; false when it only looks like one. */
  sure: boolean;
  /** Whether the command reads the file's content, not only its name. */
  contents: boolean;
}
/** The files and folders that a command names, worked out without running it. */
export interface CommandFiles {
  files: NamedFile[];
  /** Folders that the command walks recursively. */
  walked: NamedFile[];
  /** Folders that parts of the command may run in. */
  folders: string[];
  /** Whether git is the only part of the command that walks folders; git lists tracked files only. */
  onlyGit: boolean;
  /** Why the command may read other files too, as a noun phrase. */
  unknown?: string;
  /** What exceeded a limit, so that some of it was not checked, as a noun phrase. */
  tooMany?: string;
}

/** A running search for the files of one command. */
export interface Search extends Expansion {
  home: string;
  passesNames: boolean;
  /** Values that the command assigns to variables, by the variable's name. */
  values: ReadonlyMap<string, readonly string[]>;
  found: CommandFiles;
  /** Files already added for the current unit. */
  seen: Set<string>;
  /** Expanded globs; undefined for a glob with too many matches. */
  matches: Map<string, readonly string[] | undefined>;
}

/** The files that match a glob; undefined when there are too many. */
export function matchesOf(glob: string, place: Search): readonly string[] | undefined {
  if (!place.matches.has(glob)) place.matches.set(glob, expandGlob(glob, place));
  return place.matches.get(glob);
}
