import { join, relative, resolve, sep } from "node:path";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import type { Project, ProjectBook, SessionPlace } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Entry, type Move, readEntries } from "./file.ts";

/** Minimum length of an id's beginning. */
const SHORTEST = 4;

/** Opens the projects file, which need not exist. Throws PROJECT_FILE. */
export function openBook(path: string): ProjectBook {
  return bookOf(readEntries(path));
}

/** Creates a book from entries. */
export function bookOf(entries: readonly Entry[]): ProjectBook {
  return {
    projects: entries.filter(({ removedAt }) => removedAt === undefined).map(projectOf),
    find: (named, cwd) => projectOf(findEntry(entries, named, cwd)),
    of: (place) => {
      const entry = entryOf(entries, place);
      return entry && projectOf(entry);
    },
    cwdOf: (place) => {
      const entry = entryOf(entries, place);
      return entry ? movedDirectory(place.cwd, place.createdAt, entry.moves) : place.cwd;
    },
  };
}

/** Returns an entry's public fields. */
export function projectOf({ projectId, name, directory, createdAt }: Entry): Project {
  return { projectId, name, directory, createdAt };
}

/** Finds an entry by id, name or directory. Throws PROJECT_UNKNOWN and PROJECT_AMBIGUOUS. */
export function findEntry(entries: readonly Entry[], named: string, cwd: string): Entry {
  const exact = entries.find((entry) => hasId(entry, named));
  if (exact) return exact;
  const namesakes = entries.filter(({ name }) => name === named);
  const listed = namesakes.filter(({ removedAt }) => removedAt === undefined);
  const byName = listed.length > 0 ? listed : namesakes;
  const byId = named.length < SHORTEST ? [] : entries.filter(({ projectId }) => projectId.startsWith(named));
  const matches = byName.length > 0 ? byName : byId;
  if (matches.length > 1) throw errors.PROJECT_AMBIGUOUS({ named, matches: matches.map(({ directory }) => directory) });
  const [match = isPath(named) ? containing(entries, canonical(resolve(cwd, named))) : undefined] = matches;
  if (!match) throw errors.PROJECT_UNKNOWN({ named });
  return match;
}

function isPath(named: string): boolean {
  return named.includes(sep) || named === "." || named === "..";
}

/** Returns the innermost project that contains a directory. */
export function containing(entries: readonly Entry[], directory: string): Entry | undefined {
  const around = entries.filter((entry) => isWithin(entry.directory, directory));
  return around.sort((a, b) => b.directory.length - a.directory.length)[0];
}

/** Returns a session's entry: by its project id, or else by its directory at the time it was created. */
function entryOf(
  entries: readonly Entry[],
  { cwd, root = cwd, projectId, createdAt }: SessionPlace,
): Entry | undefined {
  const known = projectId === undefined ? undefined : entries.find((entry) => hasId(entry, projectId));
  const gone = (entry: Entry) => movedDirectory(cwd, createdAt, entry.moves) !== cwd;
  return known ?? entries.find(gone) ?? entries.find(({ directory }) => directory === root) ?? containing(entries, cwd);
}

function hasId({ projectId, merged = [] }: Entry, id: string): boolean {
  return projectId === id || merged.includes(id);
}

/** Applies the moves in order. Sessions created after a move already have the new directory. */
function movedDirectory(cwd: string, createdAt: number, moves: readonly Move[] = []): string {
  return moves.reduce(
    (at, { from, to, until }) => (createdAt < until && isWithin(from, at) ? join(to, relative(from, at)) : at),
    cwd,
  );
}
