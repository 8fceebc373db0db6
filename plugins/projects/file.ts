import { readFileSync } from "node:fs";
import { codeOf } from "@scorel/kernel";
import type { Project } from "./contract.ts";
import { errors } from "./errors.ts";

/** A move: sessions created before `until` in `from` (or below) are now in `to`. */
export interface Move {
  from: string;
  to: string;
  /** Milliseconds since 1970. */
  until: number;
}
/** A project in the file. Unknown fields are kept. */
export interface Entry extends Project {
  moves?: readonly Move[];
  /** Ids of projects that were merged into this one. */
  merged?: readonly string[];
  /** Time of removal from the list, in milliseconds since 1970. */
  removedAt?: number;
  [more: string]: unknown;
}
interface ProjectsFile {
  version: number;
  projects: Entry[];
  [more: string]: unknown;
}

const VERSION = 1;

/** Reads all entries; empty without the file. Throws PROJECT_FILE when it is invalid. */
export function readEntries(path: string): readonly Entry[] {
  return parse(path, readIfPresent(path)).projects;
}

/** Returns the file's text after a change of its projects; all other fields are kept. Throws PROJECT_FILE. */
export function changed(
  path: string,
  text: string | undefined,
  change: (entries: readonly Entry[]) => Entry[],
): string {
  const file = parse(path, text);
  return `${JSON.stringify({ ...file, projects: change(file.projects) }, null, 2)}\n`;
}

function parse(path: string, text: string | undefined): ProjectsFile {
  if (text === undefined) return { version: VERSION, projects: [] };
  const file = parsed(path, text);
  const { version, projects } = (file ?? {}) as Partial<ProjectsFile>;
  if (typeof version === "number" && version > VERSION)
    throw errors.PROJECT_FILE({ path, reason: `its format ${version} is newer than this version of Scorel knows` });
  if (!Array.isArray(projects)) throw errors.PROJECT_FILE({ path, reason: 'it has no list "projects"' });
  const bad = projects.findIndex((entry) => !isEntry(entry));
  if (bad >= 0)
    throw errors.PROJECT_FILE({
      path,
      reason: `entry ${bad + 1} lacks an id, a name or a directory, or is not an entry`,
    });
  return file as ProjectsFile;
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw errors.PROJECT_FILE({ path, reason: "it is not JSON" }, { cause: thrown });
  }
}

function isEntry(entry: unknown): entry is Entry {
  const { projectId, name, directory, createdAt, moves = [], merged = [] } = (entry ?? {}) as Partial<Entry>;
  const texts = [projectId, name, directory].every((text) => typeof text === "string" && text !== "");
  return texts && typeof createdAt === "number" && Array.isArray(moves) && moves.every(isMove) && Array.isArray(merged);
}

function isMove(move: unknown): move is Move {
  const { from, to, until } = (move ?? {}) as Partial<Move>;
  return typeof from === "string" && typeof to === "string" && typeof until === "number";
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw errors.PROJECT_FILE({ path, reason: `it cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
}
