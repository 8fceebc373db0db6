import { localMinute } from "@scorel/kit/text/local-time";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Client, SessionSummary } from "../contract.ts";
import { errors } from "./errors.ts";
import { everyPage } from "./every-page.ts";
import { projectSessions } from "./project-sessions.ts";

/** Maximum number of sessions that an error lists. */
const NAMED = 5;

/**
 * Finds a stored session by its id, or by a part of its id or its title. Searches the sessions of the directory `cwd` first, then those of
 * its project. Returns the session's id. Throws RESUME_UNKNOWN and RESUME_AMBIGUOUS.
 */
export async function findSession(client: Pick<Client, "request">, wanted: string, cwd: string): Promise<string> {
  const listed = async (where: { cwd: string } | { archived: true; children?: true }) =>
    (await everyPage((page) => client.request("list_sessions", { ...where, ...page }))).sessions;
  const ofProject = async () => (await everyPage((page) => projectSessions(client, { cwd }, page))).sessions;
  const tests = [isNamed, isBegun, isTitled, isMentioned];
  const searches = [
    async () => matching(await Promise.all([listed({ cwd }), ofProject()]), lineOf(wanted), tests),
    async () => matching([await listed({ archived: true })], lineOf(wanted), tests),
    // Sessions with a parent, such as those of subagents, are found only by their ids.
    async () => matching([await listed({ archived: true, children: true })], lineOf(wanted), [isNamed, isBegun]),
  ];
  for (const search of searches) {
    const [found, ...others] = await search();
    if (found && others.length === 0) return found.sessionId;
    if (found) {
      const named = [found, ...others].slice(0, NAMED).map(lineFor);
      throw errors.RESUME_AMBIGUOUS({ wanted, count: others.length + 1, named });
    }
  }
  throw errors.RESUME_UNKNOWN({ wanted });
}

type Test = (session: SessionSummary, wanted: string) => boolean;

const isNamed: Test = ({ sessionId }, wanted) => sessionId === wanted;
const isBegun: Test = ({ sessionId }, wanted) => sessionId.startsWith(wanted);
const isTitled: Test = (session, wanted) => titleOf(session).toLowerCase() === wanted.toLowerCase();
const isMentioned: Test = (session, wanted) =>
  session.sessionId.includes(wanted) || titleOf(session).toLowerCase().includes(wanted.toLowerCase());

/**
 * The sessions of a list that pass a test. The first test that is not failed by all sessions counts, and for it the first such list: an exact
 * title in the second list is a better match than a part of one in the first.
 */
function matching(
  lists: readonly (readonly SessionSummary[])[],
  wanted: string,
  tests: readonly Test[],
): SessionSummary[] {
  for (const test of tests) {
    for (const sessions of lists) {
      const found = sessions.filter((session) => test(session, wanted));
      if (found.length > 0) return found;
    }
  }
  return [];
}

/** Formats a session as one line: its id, time of last use, directory and title. */
function lineFor(session: SessionSummary): string {
  const time = localMinute(session.updatedAt);
  return [session.sessionId, time, lineOf(session.cwd), titleOf(session)].join("  ");
}

function titleOf({ name, title }: SessionSummary): string {
  return lineOf(name || title);
}
