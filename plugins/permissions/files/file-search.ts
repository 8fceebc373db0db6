import { type Expanded, type Expansion, expandGlob, fixedPart } from "./globs.ts";

/** A file or folder that a command names. */
export interface NamedFile {
  path: string;
  /** True when the word is certainly a file that the command uses; false when it only looks like one. */
  sure: boolean;
  /** Whether the command reads the file's content, not only its name. */
  contents: boolean;
  /**
   * The word with a wildcard that matches this file. Messages name the word instead: a file's own name may not be
   * revealed.
   */
  word?: string;
}
/** A folder that a command walks recursively. */
export interface WalkedFolder extends NamedFile {
  /** Whether the command may follow links in it. */
  followsLinks: boolean;
}
/** What the shell looks up to expand a wildcard, whichever program gets the names. */
export interface Listing extends Expanded {
  /** The wildcard as written in the command. */
  word: string;
}
/** The files and folders that a command names, worked out without running it. */
export interface CommandFiles {
  files: NamedFile[];
  walked: WalkedFolder[];
  /** What the shell lists to expand wildcards. */
  listed: Listing[];
  /** Folders that parts of the command may run in. */
  folders: string[];
  /** Whether git is the only part of the command that walks folders; git lists tracked files only. */
  onlyGit: boolean;
  /** Why the command may read other files too, as a noun phrase. */
  unknown?: string;
  /** The part of the command that exceeded a limit and was not checked completely, as a noun phrase. */
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
  /** Globs that are in `found.listed`. */
  globs: Set<string>;
  /** Expanded globs; undefined for a glob with too many matches. */
  matches: Map<string, Expanded | undefined>;
}

/** The files that match a glob; undefined when there are too many. */
export function matchesOf(glob: string, place: Search): readonly string[] | undefined {
  return expansionOf(glob, place)?.paths;
}

function expansionOf(glob: string, place: Search): Expanded | undefined {
  if (!place.matches.has(glob)) place.matches.set(glob, expandGlob(glob, place));
  return place.matches.get(glob);
}

/** Adds what the shell lists for a glob, once for each glob. */
export function addListing(glob: string, word: string, place: Search): void {
  const { listed } = place.found;
  if (place.globs.has(glob)) return;
  place.globs.add(glob);
  listed.push({ word, ...(expansionOf(glob, place) ?? { paths: [], folders: [fixedPart(glob)] }) });
}
