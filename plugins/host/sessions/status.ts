import type {} from "@scorel/agent/contract";
import type { SessionMeta } from "@scorel/messages/contract";
import type { Notice } from "@scorel/workspace/contract";
import type { SessionStatus } from "../contract.ts";
import { anchorAfter } from "../stream/pages.ts";
import { doingIn } from "./doing-in.ts";
import { glanceOf } from "./glance.ts";
import { failuresOf, type OpenSession, presentIn, questionsIn, turnIn } from "./open-session.ts";
import { queueOf } from "./queued.ts";

/** Maximum number of damaged lines in a status. */
const TOLD_PROBLEMS = 100;

/** Returns a session's status for clients. */
export function statusOf(open: OpenSession): SessionStatus {
  const { id, kernel } = open;
  const { session, problems } = kernel;
  return {
    sessionId: id,
    running: kernel.find("agent")?.running ?? false,
    ...turnIn(open),
    ...questionsIn(open),
    leafId: session.activeLeaf,
    meta: metaOf(open),
    anchor: anchorAfter(session, session.tree.last, session.seq),
    problems: firstProblems(problems, id),
    notices: [...readOnlyNotice(open), ...open.problems, ...failuresOf(open)],
    ...clientsIn(open),
    ...waitingIn(open),
    ...doingIn(open),
    ...glanceOf(open),
  };
}

/** The header of a session with what was changed since. Its directory is where it is now, since a project can move. */
function metaOf({ kernel: { session }, workspace: { cwd } }: OpenSession): SessionStatus["meta"] {
  const begun = session.header.meta as SessionMeta;
  return { ...begun, ...session.projection("sessionMeta"), ...(begun.cwd !== undefined && { cwd }) };
}

/** The first damaged lines of a log. If there are more, the last row tells how many. */
function firstProblems(all: OpenSession["kernel"]["problems"], id: string): SessionStatus["problems"] {
  const told = all.slice(0, TOLD_PROBLEMS).map(({ line, offset, reason }) => ({ line, offset, reason }));
  const [next] = all.slice(TOLD_PROBLEMS);
  if (!next) return told;
  const reason = `this and ${all.length - TOLD_PROBLEMS - 1} later lines are damaged, too; \`scorel session verify ${id}\` lists them`;
  return [...told, { line: next.line, offset: next.offset, reason }];
}

function clientsIn(open: OpenSession): Pick<SessionStatus, "clients" | "present"> {
  const { size } = open.users;
  return size < 2 ? {} : { clients: size, present: presentIn(open) };
}

function waitingIn(open: OpenSession): Pick<SessionStatus, "waiting"> {
  const { items } = queueOf(open);
  return items.length > 0 ? { waiting: items.length } : {};
}

function readOnlyNotice({ id, kernel: { readOnly } }: OpenSession): Notice[] {
  if (readOnly === undefined) return [];
  const message = `The log of session ${id} is open for reading only: ${readOnly}.`;
  return [{ origin: "log", code: "STORE_READ_ONLY", message }];
}
