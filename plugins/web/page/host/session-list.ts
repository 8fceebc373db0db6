import { everyPage, type RemoteClient } from "@scorel/host/client";
import type { SessionChange, SessionSummary } from "@scorel/host/contract";
import type { ListedProject } from "@scorel/projects/contract";
import { Store } from "../store.ts";
import type { KeptLists, Lists } from "./kept-lists.ts";
import type { PageRights } from "./rights.ts";

/** A change of one session. */
type SummaryChange = Exclude<SessionChange, { change: "missed" }>;

/** A project with its sessions, the latest activity first. */
export interface ProjectRow {
  /** The project's id. For sessions of an unknown project, their directory. */
  id: string;
  name: string;
  directory: string;
  sessions: readonly SessionSummary[];
}

/** The projects and sessions of a host, kept up to date. */
export class SessionList {
  readonly projects = new Store<readonly ProjectRow[]>([]);
  /** Why the list could not be read. */
  readonly problem = new Store<Error | undefined>(undefined);
  /** Ids of sessions that were deleted while this page was open. */
  readonly deleted = new Store<ReadonlySet<string>>(new Set());
  /** Whether the token of this page has limited scopes. Then the host only lists projects that have sessions. */
  isLimited = false;
  /** Whether there is anything to show, from the host or from storage. */
  readonly isKnown = new Store(false);
  /** When the host sent what is shown, in milliseconds since 1970; undefined if it is up to date. */
  readonly asOf = new Store<number | undefined>(undefined);
  /** Whether the host has answered. */
  hasBegun = false;
  private readonly client: RemoteClient;
  private readonly kept: KeptLists;
  private readonly rights: Store<PageRights>;
  private rows = new Map<string, SessionSummary>();
  private known: readonly ListedProject[] = [];
  /** Ids of projects because of which everything was read again. Some stay unknown, such as removed ones: their sessions keep changing. */
  private readonly sought = new Set<string>();
  /** How many reads have begun, and which of them is shown. One that began earlier may end later, with older lists. */
  private reads = 0;
  private shownRead = 0;
  /** For each running `read`, the changes that have arrived since it started. */
  private readonly changesDuringReads = new Set<SummaryChange[]>();

  constructor(client: RemoteClient, kept: KeptLists, rights: Store<PageRights>) {
    this.client = client;
    this.kept = kept;
    this.rights = rights;
  }

  /** Shows what this browser has stored, until the host answers. */
  async restore(): Promise<void> {
    const lists = await this.kept.read();
    if (!lists || this.hasBegun) return;
    this.rights.set(lists.rights);
    this.fill(lists);
    this.asOf.set(lists.at);
    this.isKnown.set(true);
  }

  /** Waits for the host, and follows its changes. */
  async begin(): Promise<void> {
    try {
      await this.client.watchSessions((change) => this.take(change));
      await this.read();
    } catch (thrown) {
      this.problem.set(thrown as Error);
    }
  }

  /** Reads everything again, for example after missed changes. Until then, the shown list stays. */
  async read(): Promise<void> {
    const changes: SummaryChange[] = [];
    this.changesDuringReads.add(changes);
    const number = ++this.reads;
    try {
      const [{ projects }, { sessions }] = await Promise.all([
        this.readProjects(),
        everyPage((page) => this.client.request("list_sessions", { archived: true, ...page })),
      ]);
      if (number < this.shownRead) return;
      this.shownRead = number;
      this.hasBegun = true;
      this.asOf.set(undefined);
      this.problem.set(undefined);
      this.fill({ projects, sessions }, changes);
      this.keep();
    } catch (thrown) {
      if (number < this.shownRead) return;
      this.problem.set(thrown as Error);
      this.sought.clear();
    } finally {
      this.changesDuringReads.delete(changes);
    }
  }

  /** Replaces the lists. The changes may be later than the lists, and are applied to them. */
  private fill({ projects, sessions }: Omit<Lists, "rights">, changes: readonly SummaryChange[] = []): void {
    this.known = projects;
    this.rows = new Map(sessions.map((row) => [row.sessionId, row]));
    for (const change of changes) this.apply(change);
    for (const sessionId of this.rows.keys()) this.markPresent(sessionId);
    this.show();
  }

  private keep(): void {
    this.kept.writeLater(() => ({
      projects: this.known,
      sessions: [...this.rows.values()],
      rights: this.rights.get(),
    }));
  }

  /** Clients with limited scopes only get projects that have sessions. */
  private async readProjects(): Promise<{ projects: ListedProject[] }> {
    try {
      const answer = await everyPage((page) => this.client.request("list_projects", page));
      this.isLimited = false;
      return answer;
    } catch (thrown) {
      if (codeOf(thrown) !== "HOST_FORBIDDEN") throw thrown;
      this.isLimited = true;
    }
    try {
      return await everyPage((page) => this.client.request("list_session_projects", page));
    } catch (thrown) {
      // A host of an earlier version: projects are then named after the folders of their sessions.
      if (!["HOST_FORBIDDEN", "HOST_OPERATION_UNKNOWN"].includes(codeOf(thrown))) throw thrown;
      return { projects: [] };
    }
  }

  find(sessionId: string): SessionSummary | undefined {
    return this.rows.get(sessionId);
  }

  markDeleted(sessionId: string): void {
    this.deleted.set(new Set([...this.deleted.get(), sessionId]));
  }

  markPresent(sessionId: string): void {
    const others = [...this.deleted.get()].filter((id) => id !== sessionId);
    if (others.length < this.deleted.get().size) this.deleted.set(new Set(others));
  }

  private take(change: SessionChange): void {
    if (change.change === "missed") return void this.read();
    for (const changes of this.changesDuringReads) changes.push(change);
    const { session } = change;
    if (change.change === "deleted") this.markDeleted(session.sessionId);
    else this.markPresent(session.sessionId);
    if (session.parent) return;
    this.apply(change);
    if (this.isNew(session.projectId)) void this.read();
    else this.show();
    this.keep();
  }

  /** Whether a project is unknown, and was not sought before. */
  private isNew(id: string | undefined): boolean {
    if (id === undefined || this.sought.has(id) || this.known.some(({ projectId }) => projectId === id)) return false;
    this.sought.add(id);
    return true;
  }

  /** Applies a change to the rows. Sessions of subagents have no row. */
  private apply({ change, session }: SummaryChange): void {
    if (session.parent) return;
    if (change === "deleted") this.rows.delete(session.sessionId);
    else this.rows.set(session.sessionId, session);
  }

  private show(): void {
    const projects = new Map<string, ProjectRow & { sessions: SessionSummary[] }>();
    for (const { projectId: id, name, directory } of this.known)
      projects.set(id, { id, name, directory, sessions: [] });
    const byDirectory = new Map(this.known.map(({ projectId, directory }) => [directory, projectId]));
    for (const row of this.rows.values()) {
      if (isUnused(row)) continue;
      const id = row.projectId ?? byDirectory.get(row.cwd) ?? row.cwd;
      const project = projects.get(id) ?? { id, name: lastPart(row.cwd), directory: row.cwd, sessions: [] };
      project.sessions.push(row);
      projects.set(id, project);
    }
    for (const { sessions } of projects.values()) sessions.sort((a, b) => b.updatedAt - a.updatedAt);
    this.projects.set([...projects.values()].sort((a, b) => latest(b) - latest(a)));
  }
}

function codeOf(thrown: unknown): string {
  return (thrown as { code?: string }).code ?? "";
}

/** Whether the session is empty: it was only opened, or its first message was refused. */
function isUnused({ messages, name, running }: SessionSummary): boolean {
  return messages === 0 && name === undefined && running !== true;
}

function latest({ sessions: [first] }: ProjectRow): number {
  return first?.updatedAt ?? 0;
}

function lastPart(path: string): string {
  return path.split("/").filter(Boolean).at(-1) ?? path;
}
