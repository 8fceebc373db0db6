import { type Awaitable, codeOf, type Kernel, messageOf, type SessionHeader } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { SessionMeta } from "@scorel/messages/contract";
import type { Notice, ProjectBook, SessionPlace } from "@scorel/workspace/contract";
import type { SessionSummary } from "./contract.ts";
import { errors } from "./errors.ts";

/** Maximum `limit` for listing sessions. */
export const MOST_LISTED = 1000;

/** An answer of the plugin `projects`, or the problems that kept it from answering. */
export interface ProjectsAnswer<R> {
  value?: R;
  problems: Notice[];
}

/** Returns the id of the project for a new session in this git root or directory. */
export function projectIn(host: Kernel, root: string): Promise<ProjectsAnswer<string>> {
  return askProjects(async () => (await host.find("projects")?.register(root))?.projectId);
}

/** Returns all projects; no value without the plugin `projects`. */
export function bookOf(host: Kernel): Promise<ProjectsAnswer<ProjectBook>> {
  return askProjects(() => host.find("projects")?.book());
}

/** Returns a stored session's current working directory. */
export async function cwdOf(host: Kernel, header: SessionHeader): Promise<ProjectsAnswer<string>> {
  const { cwd } = header.meta as SessionMeta;
  if (cwd === undefined) return { problems: [] };
  const { value: book, problems } = await bookOf(host);
  return { value: book?.cwdOf(placeOf(header, cwd)) ?? cwd, problems };
}

interface ListFilter {
  cwd?: string | undefined;
  project?: string | undefined;
  limit?: number | undefined;
  /** Includes sessions with a parent. */
  children?: boolean | undefined;
  /** Includes archived sessions. */
  archived?: boolean | undefined;
  /** Lists only sessions that have this session as their parent. */
  parent?: string | undefined;
  from: string;
}

/**
 * Updates the sessions' directories, and applies the filters and the limit. Throws HOST_LIMIT_INVALID and
 * HOST_NO_PROJECTS.
 */
export function listed(
  sessions: readonly SessionSummary[],
  book: ProjectBook | undefined,
  wanted: ListFilter,
): SessionSummary[] {
  const { cwd, project, limit = Number.POSITIVE_INFINITY, children = false, archived = false, parent, from } = wanted;
  mustBeLimit(limit);
  if (project !== undefined && !book) throw errors.HOST_NO_PROJECTS();
  const projectId = project === undefined ? undefined : book?.find(project, from).projectId;
  const directoryOf = (session: SessionSummary) => book?.cwdOf(session) ?? session.cwd;
  const known = new Map(cwd !== undefined && children ? sessions.map((session) => [session.sessionId, session]) : []);
  // A session with a parent, such as that of a subagent in a worktree, also belongs to the directory of its parent.
  const isIn = (place: string, session: SessionSummary, level = 0): boolean => {
    if (directoryOf(session) === place) return true;
    const above = session.parent && known.get(session.parent.sessionId);
    return above !== undefined && level < LEVELS && isIn(place, above, level + 1);
  };
  return sessions
    .filter((session) => (parent === undefined ? children || !session.parent : session.parent?.sessionId === parent))
    .filter((session) => archived || !session.archived)
    .filter((session) => projectId === undefined || book?.of(session)?.projectId === projectId)
    .map((session) => ({ ...session, cwd: directoryOf(session) }))
    .filter((session) => cwd === undefined || isIn(cwd, session));
}

/** Where a directory without sessions has some nearby. */
export interface SessionsNearby {
  /** The closest directory above in which sessions work. */
  above?: string | undefined;
  /** Whether the project of the directory has sessions. */
  inProject: boolean;
}

/** Returns where a directory without sessions has some nearby. */
export function sessionsNearby(
  sessions: readonly SessionSummary[],
  book: ProjectBook | undefined,
  directory: string,
): SessionsNearby {
  const above = sessions.map(({ cwd }) => cwd).filter((cwd) => cwd !== directory && isWithin(cwd, directory));
  const project = book?.of({ cwd: directory, createdAt: Date.now() });
  const isInProject = (session: SessionSummary) => book?.of(session)?.projectId === project?.projectId;
  return {
    above: above.sort((a, b) => b.length - a.length)[0],
    inProject: project !== undefined && sessions.some(isInProject),
  };
}

/** Maximum number of parents to follow upwards, since a damaged log could name itself as its parent. */
const LEVELS = 10;

function mustBeLimit(limit: number): void {
  const fits = limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED);
  if (!fits) throw errors.HOST_LIMIT_INVALID({ value: String(limit), max: MOST_LISTED });
}

/** Returns the fields of a session by which its project is found. */
export function placeOf({ createdAt, meta }: SessionHeader, cwd: string): SessionPlace {
  const { root, projectId } = meta as { root?: string; projectId?: string };
  return { cwd, createdAt, root, projectId };
}

/** Returns an error as a problem instead of throwing it, because a damaged list of projects must not prevent work. */
async function askProjects<R>(ask: () => Awaitable<R | undefined>): Promise<ProjectsAnswer<R>> {
  try {
    const value = await ask();
    return { ...(value !== undefined && { value }), problems: [] };
  } catch (thrown) {
    return { problems: [{ origin: "the list of projects", code: codeOf(thrown), message: messageOf(thrown) }] };
  }
}
