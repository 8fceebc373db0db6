import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { everyPage } from "@scorel/host/client";
import type {
  Directories,
  OperationContext,
  Operations,
  SessionLogs,
  SessionSummary,
  SharedFiles,
} from "@scorel/host/contract";
import { codeOf, type SessionHeader } from "@scorel/kernel";
import type { SessionMeta } from "@scorel/messages/contract";
import { openBook } from "./book.ts";
import type { ListedProject, ProjectBook } from "./contract.ts";
import { errors } from "./errors.ts";
import * as moving from "./move.ts";
import * as registering from "./register.ts";

type Answer<O extends keyof Operations> = Promise<Operations[O]["result"]>;
type Params<O extends keyof Operations> = Operations[O]["params"];
/** The services of the host that projects use. */
export type ProjectServices = Directories & SessionLogs & SharedFiles;
type Host = ProjectServices | undefined;

/** Lists all projects with their sessions, last used first. */
export async function list(host: Host, { request }: Pick<OperationContext, "request">): Answer<"list_projects"> {
  const { sessions } = await everyPage((page) => request("list_sessions", { archived: true, ...page }));
  await registerAll(requireHost(host), sessions);
  return { projects: withSessions(openBook(fileOf(requireHost(host))), sessions) };
}

/** Lists the projects of the sessions that a client may see, last used first. */
export async function listOfSessions(
  host: Host,
  { request }: Pick<OperationContext, "request">,
): Answer<"list_session_projects"> {
  const { sessions } = await everyPage((page) => request("list_sessions", { archived: true, ...page }));
  const projects = withSessions(openBook(fileOf(requireHost(host))), sessions);
  return { projects: projects.filter((project) => project.sessions > 0) };
}

/**
 * All projects with the number and latest activity of these sessions, last used first. The project of each session is looked up once: there
 * may be hundreds of projects and thousands of sessions.
 */
export function withSessions(book: ProjectBook, sessions: readonly SessionSummary[]): ListedProject[] {
  const byProject = new Map<string | undefined, { latest: SessionSummary; count: number }>();
  for (const session of sessions) {
    const id = book.of(session)?.projectId;
    const { latest = session, count = 0 } = byProject.get(id) ?? {};
    byProject.set(id, { latest, count: count + 1 });
  }
  const projects = book.projects.map((project) => {
    const { latest, count = 0 } = byProject.get(project.projectId) ?? {};
    const exists = existsSync(project.directory);
    return { ...project, exists, sessions: count, ...(latest && { updatedAt: latest.updatedAt }) };
  });
  const time = ({ updatedAt, createdAt }: ListedProject) => updatedAt ?? createdAt;
  return projects.sort((a, b) => time(b) - time(a));
}

/** Registers a directory as a project. Throws PROJECT errors. */
export async function add(host: Host, { directory, name }: Params<"register_project">): Answer<"register_project"> {
  const service = requireHost(host);
  const root = service.rootOf(service.directory(directory));
  return { project: await registering.register(service, fileOf(service), root, name) };
}

/** Removes a project from the list. Throws PROJECT errors. */
export async function remove(host: Host, { project: named }: Params<"remove_project">): Answer<"remove_project"> {
  const project = await registering.remove(requireHost(host), fileOf(requireHost(host)), named, "/");
  const text = `Project ${project.name} (${project.directory}) was removed from the list; its sessions are unchanged.`;
  return { project, text };
}

/**
 * Records that a project, or a directory in it, has moved. Closes its open sessions, which then open in the new place. Throws PROJECT
 * errors.
 */
export async function move(
  host: Host,
  params: Params<"move_project">,
  context: Pick<OperationContext, "request" | "alone">,
): Answer<"move_project"> {
  const service = requireHost(host);
  const before = await openSessions(context);
  const to = service.directory(params.directory);
  const from = isAbsolute(params.project) ? normalize(params.project).replace(/(?<=.)\/$/, "") : params.project;
  const project = await moving.move(service, fileOf(service), from, to);
  const where = from === project.directory ? project.directory : to;
  const text = `Project ${project.name}: what worked in ${from} works in ${where} from now on.`;
  const stay = await closeMoved(before, context);
  if (stay.length === 0) return { project, text };
  const left = `These sessions are in a turn, and work in ${where} when they are opened again: ${stay.join(", ")}`;
  return { project, text: `${text}\n${left}` };
}

/** The sessions that are open in this process, with their directories by id. */
async function openSessions({ request }: Pick<OperationContext, "request">): Promise<Map<string, string>> {
  const { sessions } = await everyPage((page) => request("list_sessions", { archived: true, children: true, ...page }));
  return new Map(sessions.flatMap(({ sessionId, cwd, running }) => (running === undefined ? [] : [[sessionId, cwd]])));
}

/** Closes the sessions whose directory is another one now. Returns the ids of those that stay open, since they are in a turn. */
async function closeMoved(
  before: ReadonlyMap<string, string>,
  context: Pick<OperationContext, "request" | "alone">,
): Promise<string[]> {
  const stay: string[] = [];
  for (const [sessionId, cwd] of await openSessions(context)) {
    if (!before.has(sessionId) || before.get(sessionId) === cwd) continue;
    try {
      await context.alone(sessionId, () => {});
    } catch (thrown) {
      if (codeOf(thrown) !== "HOST_SESSION_BUSY") throw thrown;
      stay.push(sessionId);
    }
  }
  return stay;
}

/** Registers projects for sessions that have none, because they are older or the file was lost. */
async function registerAll(host: ProjectServices, sessions: readonly SessionSummary[]): Promise<void> {
  const path = fileOf(host);
  const book: ProjectBook = openBook(path);
  const roots = sessions.flatMap((session) =>
    book.of(session) || session.cwd === "" ? [] : (rootIn(host, session) ?? []),
  );
  for (const root of new Set(roots)) await registering.register(host, path, root);
}

function rootIn({ logs }: SessionLogs, { path, cwd }: SessionSummary): string | undefined {
  const header = headerOf(logs, path);
  const { root } = (header?.meta ?? {}) as SessionMeta;
  return header && (typeof root === "string" ? root : cwd);
}

/** Reads a log's header; undefined when it is damaged or gone, which the list of sessions reports. */
function headerOf(logs: SessionLogs["logs"], path: string): SessionHeader | undefined {
  try {
    return logs.header(path).header;
  } catch {
    return undefined;
  }
}

function fileOf({ sessionsDir }: SessionLogs): string {
  return join(dirname(sessionsDir), "projects.json");
}

function requireHost(host: Host): ProjectServices {
  if (!host) throw errors.PROJECT_NO_HOST();
  return host;
}
