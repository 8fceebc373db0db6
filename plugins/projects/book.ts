import { join, relative, resolve, sep } from "node:path";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import type { Project, ProjectBook, SessionPlace } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Entry, type Move, readEntries } from "./file.ts";

/** Letters of an id that name a project. */
const SHORTEST = 4;

/** The projects in this file, which may not exist yet. Throws PROJECT_FILE. */
export function openBook(path: string): ProjectBook {
  return bookOf(readEntries(path));
}

/** The same for entries that have been read. */
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
      return entry ? moved(place.cwd, place.createdAt, entry.moves) : place.cwd;
    },
  };
}

/** Without what only the file knows. */
export function projectOf({ projectId, name, directory, createdAt }: Entry): Project {
  return { projectId, name, directory, createdAt };
}

/** Throws PROJECT_UNKNOWN and PROJECT_AMBIGUOUS. */
export function findEntry(entries: readonly Entry[], named: string, cwd: string): Entry {
  const exact = entries.find((entry) => hasId(entry, named));
  if (exact) return exact;
  const byName = entries.filter(({ name }) => name === named);
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

/** The innermost project that holds a directory. */
export function containing(entries: readonly Entry[], directory: string): Entry | undefined {
  const around = entries.filter((entry) => isWithin(entry.directory, directory));
  return around.sort((a, b) => b.directory.length - a.directory.length)[0];
}

/** By its id; a session that has none, or one of another home, by its directory at the time it was made. */
function entryOf(
  entries: readonly Entry[],
  { cwd, root = cwd, projectId, createdAt }: SessionPlace,
): Entry | undefined {
  const known = projectId === undefined ? undefined : entries.find((entry) => hasId(entry, projectId));
  const gone = (entry: Entry) => moved(cwd, createdAt, entry.moves) !== cwd;
  return known ?? entries.find(gone) ?? entries.find(({ directory }) => directory === root) ?? containing(entries, cwd);
}

function hasId({ projectId, merged = [] }: Entry, id: string): boolean {
  return projectId === id || merged.includes(id);
}

/** One move after the other; sessions that were made after a move know the new place themselves. */
function moved(cwd: string, createdAt: number, moves: readonly Move[] = []): string {
  return moves.reduce(
    (at, { from, to, until }) => (createdAt < until && isWithin(from, at) ? join(to, relative(from, at)) : at),
    cwd,
  );
}
