import { existsSync } from "node:fs";
import { type Awaitable, type EventDefinition, type Kernel, newId, type SessionHeader } from "@scorel/kernel";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import type { Notice, SessionOption, SessionOptions } from "@scorel/workspace/contract";
import type { Relation, SessionSummary } from "../contract.ts";
import { errors } from "../errors.ts";
import { type ProjectsAnswer, projectIn } from "../places.ts";
import { SessionFeed } from "../stream/session-feed.ts";
import { canonicalDirectory, homeDirectory, projectRoot } from "../workspace.ts";
import { Closing, withLock } from "./closing.ts";
import { copiedIn, copyOf } from "./copy.ts";
import { importableIn } from "./importable.ts";
import { isOnlyKept, isOpenedWith, isUnused } from "./kept.ts";
import { cloneId, newHeader, pointIn } from "./new-session.ts";
import {
  announceLeaving,
  differing,
  failuresOf,
  type OpenSession,
  presentIn,
  type SessionUser,
} from "./open-session.ts";
import { newRelation, pluginChoice, relatedIn } from "./relations.ts";
import { assertIdle, assertKeepsExtensions, replace } from "./reload.ts";
import type { Shelf } from "./shelf.ts";
import { type CloneOptions, type NewOptions, SessionStarter, type SessionsOptions } from "./starter.ts";
import { TurnOrder } from "./turn-order.ts";

/** Why a session is closed, as its clients are told. */
type EndReason = "closed" | "deleted";

/** The open sessions of this process, at most one kernel for each. */
export class Sessions {
  readonly shelf: Shelf;
  private readonly options: SessionsOptions;
  private readonly open = new Map<string, Promise<OpenSession>>();
  private readonly closing = new Closing();
  /** The open sessions that have started. */
  private readonly started = new Map<string, OpenSession>();
  /** Subscriptions to sessions that were closed, by session. Those that end are removed from their set. */
  private readonly left = new Map<string, OpenSession["followers"]>();
  private readonly starter: SessionStarter;
  /** The open sessions as list rows, and the listeners to their changes. */
  readonly feed: SessionFeed;
  /** Limits how many turns run at a time. */
  readonly turns: TurnOrder;

  constructor(options: SessionsOptions) {
    this.options = options;
    this.feed = new SessionFeed(options.logger);
    this.starter = new SessionStarter({
      ...options,
      onEvent: (session, event) => {
        this.feed.take(session, event);
        // A turn that waits for a person does not count, so another one may begin.
        if (event.type === "approval_request") this.turns.look();
      },
      find: (id) => this.started.get(id),
    });
    this.shelf = options.shelf;
    const isResting = (id: string) => (this.started.get(id)?.stream.questions.length ?? 0) > 0;
    this.turns = new TurnOrder(options.concurrentTurns, isResting);
  }

  /** The options that a session can be opened with. */
  get known(): readonly SessionOption[] {
    return this.options.sessionOptions();
  }

  /** The host's own kernel. */
  get parent(): Kernel {
    return this.options.composition.kernel();
  }

  /** The sessions that are open now. */
  get opened(): readonly OpenSession[] {
    return [...this.started.values()];
  }

  /** Whether a session is open, and not being closed. */
  isOpen(session: OpenSession): boolean {
    return this.started.get(session.id) === session;
  }

  /** Creates a session in `cwd`. Its file, unless it is unsaved, is created with the first event. */
  async create(options: NewOptions & Relation & { cwd: string; name?: string | undefined }): Promise<OpenSession> {
    const cwd = canonicalDirectory(options.cwd);
    const { name, preset, parent, kind, data, ...rest } = options;
    const root = projectRoot(cwd, homeDirectory());
    const related = newRelation({ preset, parent, kind, data }, root, (id) => this.started.get(id));
    const known = newHeader(this.shelf.logs.version, options.unsaved);
    const starting = this.projectOf(root, options).then(({ value: projectId, problems }) => {
      const place = { cwd, root, ...(projectId !== undefined && { projectId }) };
      const meta = { ...place, ...(name !== undefined && { name }), ...related };
      return this.starter.begin({ ...known, meta }, rest, { problems });
    });
    return this.remember(known.sessionId, starting, "created");
  }

  /** Announces what an operation has changed in an open session's status to the clients that follow it. */
  lookAt(id: unknown): void {
    this.started.get(id as string)?.changes.look();
  }

  /** Lists stored and open sessions, latest activity first. */
  list(): SessionSummary[] {
    return this.shelf.list(this.feed.rows);
  }

  /** Completes the beginning of an id, of an open or a stored session; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
  resolve(idOrPrefix: string): string {
    return this.open.has(idOrPrefix) ? idOrPrefix : this.shelf.resolve(idOrPrefix);
  }

  /** Returns the header of an open or a stored session. Throws SESSION_UNKNOWN. */
  async header(id: string): Promise<SessionHeader> {
    return (await this.open.get(id))?.kernel.session.header ?? this.shelf.header(id);
  }

  /** Creates a session with a copy of another one's conversation. The original is only read. */
  async clone(id: string, { eventId, atOnce, messageId, ...options }: CloneOptions = {}): Promise<OpenSession> {
    const made = messageId === undefined ? newId() : cloneId(id, messageId);
    if (this.open.has(made) || existsSync(this.shelf.path(made))) return this.load(made);
    const starting = this.withReadOnly(id, async (source) => {
      const { session } = source.kernel;
      const until = eventId === undefined ? session.activeLeaf : await pointIn(session, eventId, this.parent);
      const { header, history } = copyOf(
        session,
        { ...newHeader(this.shelf.logs.version, options.unsaved), sessionId: made },
        until,
        copiedIn(source.made.entries),
      );
      const { cwd, root } = source.workspace;
      if (!existsSync(cwd)) throw errors.HOST_CWD_GONE({ sessionId: id, cwd });
      // Uses the current directory, because the original's project may have moved since it was created.
      return this.starter.begin(
        { ...header, meta: { ...header.meta, cwd, root } },
        { ...options, atOnce },
        { history },
      );
    });
    return this.remember(made, starting, "created");
  }

  /** Runs `work` on a session for reading: the open one, or else one opened without lock, repair or append. */
  async withReadOnly<R>(id: string, work: (session: OpenSession) => Awaitable<R>): Promise<R> {
    const open = await this.open.get(id);
    if (open) return work(open);
    const session = await this.look(id);
    try {
      return await work(session);
    } finally {
      await session.kernel.stop();
    }
  }

  /** The clients that are present in a session; none if it is not open. */
  present(id: string): { clientId: string; name: string }[] {
    const open = this.started.get(id);
    return open ? presentIn(open) : [];
  }

  /** Closes a session for all clients, who are told the reason, and keeps it closed while `work` runs. */
  async alone<R>(id: string, work: () => Awaitable<R>, reason: EndReason = "closed"): Promise<R> {
    // There must be no `await` between the last check and the work.
    while (this.open.has(id) || this.closing.get(id)) await this.closeIdle(id, reason);
    const session = this.shelf.summary(id);
    const working = withLock(this.shelf, id, work).finally(() => {
      const isStored = existsSync(this.shelf.path(id));
      if (session && !isStored) this.feed.send({ change: "deleted", session });
      else if (!session && isStored) this.announce(id, "restored");
    });
    await this.closing.during(id, working);
    return working;
  }

  /**
   * Opens a stored session for writing, or returns the open one. Throws HOST_SESSION_OPTIONS when its options differ.
   */
  async load(id: string, options: SessionOptions = {}): Promise<OpenSession> {
    // There must be no `await` between the last check and the opening.
    for (let closing = this.closing.get(id); closing; closing = this.closing.get(id)) await closing;
    const running = this.open.get(id);
    if (!running) {
      const ready = (session: OpenSession) => this.rejoin(session);
      return this.remember(id, this.starter.stored(id, options, { readOnly: false, ready }), "opened");
    }
    const session = await running;
    const others = differing(session.workspace, options, this.known);
    if (others.length > 0) throw errors.HOST_SESSION_OPTIONS({ sessionId: id, options: others });
    return session;
  }

  /** Closes a session that only the host keeps open, and that was opened with other options than these. */
  async closeKept(id: string, options: SessionOptions): Promise<void> {
    const session = await this.open.get(id)?.catch(() => undefined);
    if (session && isOnlyKept(session) && !isOpenedWith(options, session.workspace, this.known))
      await this.close(session);
  }

  /**
   * Closes a session and reopens it over the same log, for the same clients. Throws HOST_SESSION_BUSY, HOST_RELOAD or
   * CONFIG errors; the session is then open as before.
   */
  async reload(id: string): Promise<OpenSession> {
    const before = await this.load(id);
    const opened = this.open.get(id);
    assertIdle(before);
    const made = await this.options.composition.sessionPlugins(before.workspace.cwd, {
      ...pluginChoice(relatedIn(before.kernel.session.header)),
      again: true,
    });
    assertKeepsExtensions(before, made);
    // Another reload finished first.
    if (this.open.get(id) !== opened) return this.load(id);
    assertIdle(before);
    const replacing = replace(this.starter, before, made);
    void this.remember(
      id,
      replacing.then(({ session }) => session),
    );
    const { session, failure } = await replacing;
    if (failure !== undefined) throw failure;
    return session;
  }

  /** The open session that replaces one which was reloaded, or closed and opened again; undefined if there is none. */
  async replacementOf(session: OpenSession): Promise<OpenSession | undefined> {
    const open = await this.open.get(session.id)?.catch(() => undefined);
    return open === session ? undefined : open;
  }

  /**
   * Opens a session read-only: no lock, no repair, no append. The caller must stop its kernel. With `tail`, only about
   * that many bytes at the end of a longer log are read.
   */
  look(id: string, tail?: number): Promise<OpenSession> {
    return this.starter.stored(id, {}, { readOnly: true, tail });
  }

  /** Returns the event types that are `importable` in a session in `cwd`. */
  async importable(cwd: string): Promise<ReadonlyMap<string, EventDefinition>> {
    const { entries } = await this.options.composition.sessionPlugins(canonicalDirectory(cwd));
    return importableIn(entries);
  }

  /**
   * Releases a session for one connection; the last one closes it. Returns whether it was closed, and what failed on
   * closing.
   */
  async release(id: string, user: SessionUser): Promise<{ closed: boolean; notices: Notice[] }> {
    const session = await this.open.get(id);
    if (!session?.users.delete(user)) return { closed: false, notices: [] };
    if (session.users.size > 0) {
      announceLeaving(session, user);
      return { closed: false, notices: [] };
    }
    user.announced?.delete(id);
    const before = failuresOf(session).length;
    await this.close(session);
    return { closed: true, notices: failuresOf(session).slice(before) };
  }

  /** Whether only keepers have an open session open, and nothing runs in it. */
  async isUnused(id: string): Promise<boolean> {
    const session = await this.open.get(id);
    return session !== undefined && isUnused(session);
  }

  /** Closes all sessions for good. Resolves when all are on disk; rejects with the first failure after closing all. */
  async closeAll(): Promise<void> {
    this.starter.stopped = true;
    const closing = [...this.open.values()].map(async (opening) => {
      const session = await opening.catch(() => undefined);
      if (session) await this.close(session);
    });
    // Includes sessions that their last client is already closing.
    const all = [...closing, ...this.closing.all()];
    for (const result of await Promise.allSettled(all)) if (result.status === "rejected") throw result.reason;
  }

  /** Registers the project of a new session. Does nothing for an unsaved session, which must leave nothing on disk. */
  private projectOf(root: string, { unsaved = false }: NewOptions): Promise<ProjectsAnswer<string>> {
    return unsaved ? Promise.resolve({ problems: [] }) : projectIn(this.parent, projectPlace(root));
  }

  /** Closes a session, or waits until it is closed. Throws HOST_SESSION_BUSY during a turn. */
  private async closeIdle(id: string, reason: EndReason): Promise<void> {
    const open = await this.open.get(id)?.catch(() => undefined);
    if (open?.kernel.find("agent")?.running) throw errors.HOST_SESSION_BUSY({ sessionId: id });
    await (open ? this.close(open, reason) : this.closing.get(id));
  }

  private async close(session: OpenSession, reason: EndReason = "closed"): Promise<void> {
    const { id, kernel } = session;
    if (!this.open.delete(id)) return this.closing.get(id);
    this.started.delete(id);
    for (const { announced } of session.users) announced?.delete(id);
    this.leaveFollowers(session);
    kernel.session.emit("session_end", { reason });
    await this.closing.during(
      id,
      kernel.stop().finally(() => this.feed.remove(session)),
    );
  }

  /** Keeps the subscriptions to a session that is closed, for example because it is deleted, until it is opened again. */
  private leaveFollowers({ id, followers }: OpenSession): void {
    for (const [left, { size }] of this.left) if (size === 0) this.left.delete(left);
    if (followers.size > 0) this.left.set(id, followers);
  }

  /** Lets the subscriptions that were left continue with the session. */
  private rejoin(session: OpenSession): void {
    const followers = this.left.get(session.id) ?? [];
    this.left.delete(session.id);
    for (const follow of followers) follow(session);
  }

  /** Announces a stored session that is not open. */
  announce(sessionId: string, change: "created" | "restored"): void {
    const session = this.feed.isWatched ? this.shelf.summary(sessionId) : undefined;
    if (session) this.feed.send({ change, session });
  }

  /** Keeps an open session. `change` tells whether it was created or opened; absent after a reload. */
  private remember(id: string, starting: Promise<OpenSession>, change?: "created" | "opened"): Promise<OpenSession> {
    this.open.set(id, starting);
    starting.then(
      (session) => {
        this.started.set(id, session);
        this.feed.add(session, change);
      },
      () => this.open.delete(id),
    );
    return starting;
  }
}
