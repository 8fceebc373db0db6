import { existsSync, statSync } from "node:fs";
import type { TurnOutcome } from "@scorel/agent/contract";
import {
  createKernel,
  createMemoryStore,
  type Kernel,
  LOG_VERSION,
  type Logger,
  newId,
  type SessionHeader,
  type Store,
  type StoredEvent,
} from "@scorel/kernel";
import type { SessionMeta } from "@scorel/messages/contract";
import { failureText } from "./client.ts";
import type { Composition, Notice, SessionOptions, Workspace } from "./contract.ts";
import { copyOf, startingWith } from "./copy.ts";
import { deviceId } from "./device.ts";
import { errors } from "./errors.ts";
import { createSessionStore } from "./session-store.ts";
import { readHeader, type Shelf } from "./shelf.ts";
import { writeIndex } from "./summary.ts";
import { canonicalDirectory, createWorkspace, homeDirectory, projectRoot } from "./workspace.ts";

/** What a new session is begun with. */
export interface NewOptions extends SessionOptions {
  /** Its log is kept in memory and forgotten when it closes. */
  unsaved?: boolean | undefined;
}
/** A session whose kernel runs. */
export interface OpenSession {
  readonly id: string;
  readonly kernel: Kernel;
  readonly workspace: Workspace;
  /** What was left out when it was opened. */
  readonly problems: readonly Notice[];
  /** Turns by the id of the message that each serves. */
  readonly turns: Map<string, Promise<TurnOutcome>>;
  /** Clients that have it open; it is closed with the last of them. */
  readonly users: Set<string>;
}
export interface SessionsOptions {
  shelf: Shelf;
  composition: Composition;
  logger: Logger;
}

/** What failed in a session so far, without harming it. */
export function failuresOf({ kernel }: Pick<OpenSession, "kernel">): Notice[] {
  return kernel.failures.map((failure) => ({
    origin: failure.where,
    code: failure.code,
    message: failureText(failure),
  }));
}

/** The open sessions of this process: at most one kernel for each. */
export class Sessions {
  readonly shelf: Shelf;
  private readonly options: SessionsOptions;
  private readonly open = new Map<string, Promise<OpenSession>>();
  private readonly closing = new Map<string, Promise<void>>();
  private stopped = false;

  constructor(options: SessionsOptions) {
    this.options = options;
    this.shelf = options.shelf;
  }

  /** The host's own kernel. */
  get parent(): Kernel {
    return this.options.composition.kernel();
  }

  /** A new session working in `cwd`; its file, unless it is unsaved, appears with its first event. */
  async create(options: NewOptions & { cwd: string; name?: string | undefined }): Promise<OpenSession> {
    const cwd = canonicalDirectory(options.cwd);
    const { name, ...rest } = options;
    const meta = { cwd, root: projectRoot(cwd, homeDirectory()), ...(name !== undefined && { name }) };
    return this.begin({ ...newHeader(options.unsaved), meta }, rest);
  }

  /** A new session that begins with the conversation of another one, which is only looked at. */
  async clone(id: string, options: NewOptions = {}): Promise<OpenSession> {
    const source = await this.look(id);
    try {
      const { header, history } = copyOf(source.kernel.session, newHeader(options.unsaved));
      if (!existsSync(header.meta.cwd)) throw errors.HOST_CWD_GONE({ sessionId: id, cwd: header.meta.cwd });
      return await this.begin(header, options, history);
    } finally {
      await source.kernel.stop();
    }
  }

  /** An existing session, opened for writing unless it is open already. */
  async load(id: string, options: SessionOptions = {}): Promise<OpenSession> {
    for (let closing = this.closing.get(id); closing; closing = this.closing.get(id)) await closing;
    const running = this.open.get(id);
    if (!running) return this.remember(id, this.startStored(id, options, false));
    const session = await running;
    if (differs(session.workspace, options)) throw errors.HOST_SESSION_OPTIONS({ sessionId: id });
    return session;
  }

  /** A session's kernel over a log that stays as it is: no lock, no repair, no append. The caller stops it. */
  look(id: string): Promise<OpenSession> {
    return this.startStored(id, {}, true);
  }

  /** Gives up a client's hold; the last one closes the session. Answers whether it did, and what failed in doing so. */
  async release(id: string, clientId: string): Promise<{ closed: boolean; notices: Notice[] }> {
    const session = await this.open.get(id);
    if (!session?.users.delete(clientId) || session.users.size > 0) return { closed: false, notices: [] };
    const before = failuresOf(session).length;
    await this.close(session);
    return { closed: true, notices: failuresOf(session).slice(before) };
  }

  /** Closes them all, for good; answers when each is on disk. Throws the first failure after trying all. */
  async closeAll(): Promise<void> {
    this.stopped = true;
    const opened = await Promise.allSettled(this.open.values());
    const closing = opened.map((session) => (session.status === "fulfilled" ? this.close(session.value) : undefined));
    // Some are being closed already, by their last client.
    const all = [...closing, ...this.closing.values()];
    for (const result of await Promise.allSettled(all)) if (result.status === "rejected") throw result.reason;
  }

  private async close({ id, kernel }: OpenSession): Promise<void> {
    if (!this.open.delete(id)) return;
    kernel.session.emit("session_end", { reason: "closed" });
    const closing = kernel.stop().finally(() => this.closing.delete(id));
    // Whoever opens the session again waits for this, however it ends.
    this.closing.set(
      id,
      closing.catch(() => {}),
    );
    await closing;
  }

  private begin(
    create: SessionHeader & { meta: { cwd: string } },
    { unsaved = false, ...options }: NewOptions,
    history: readonly StoredEvent[] = [],
  ): Promise<OpenSession> {
    const { sessionId: id } = create;
    const { cwd } = create.meta;
    return this.remember(id, this.start({ id, cwd, begin: { create, history, unsaved }, readOnly: false, options }));
  }

  private remember(id: string, starting: Promise<OpenSession>): Promise<OpenSession> {
    this.open.set(id, starting);
    starting.catch(() => this.open.delete(id));
    return starting;
  }

  private async startStored(id: string, options: SessionOptions, readOnly: boolean): Promise<OpenSession> {
    const { cwd } = readHeader(this.shelf.path(id), id).meta as SessionMeta;
    if (cwd === undefined || (!existsSync(cwd) && !readOnly))
      throw errors.HOST_CWD_GONE({ sessionId: id, cwd: cwd ?? "an unknown directory" });
    return this.start({ id, cwd, readOnly, options });
  }

  private async start(wanted: Wanted): Promise<OpenSession> {
    const { id, cwd, options } = wanted;
    // Its lock would outlive this process.
    if (this.stopped && !wanted.readOnly) throw errors.HOST_STOPPED({ sessionId: id });
    const { composition, logger } = this.options;
    const file = wanted.begin?.unsaved ? undefined : this.shelf.path(id);
    const { entries, problems, trusted } = await composition.sessionPlugins(cwd);
    const workspace = createWorkspace({ sessionId: id, cwd, file, trusted, ...options });
    const parent = composition.kernel();
    let kernel: Kernel | undefined;
    const store = this.store(wanted, () => kernel && index(this.shelf.path(id), kernel));
    kernel = await createKernel({ entries, store, parent, services: { workspace }, logger });
    // Now that all plugins listen; a session that is only looked at does not begin.
    if (!wanted.readOnly) kernel.session.emit("session_start", {});
    return { id, kernel, workspace, problems, turns: new Map(), users: new Set() };
  }

  private store({ id, begin, readOnly }: Wanted, onComplete: () => void): Store {
    const { logger } = this.options;
    if (begin?.unsaved) return createMemoryStore(begin.create, begin.history);
    const store = createSessionStore({
      path: this.shelf.path(id),
      sessionId: id,
      readOnly,
      ...(begin && { create: begin.create }),
      onComplete,
      onPartialFailure: (thrown) => logger.warn(`Session ${id}: words of a message could not be kept on disk`, thrown),
    });
    return begin?.history.length ? startingWith(begin.history, store) : store;
  }
}

function index(path: string, { session }: Kernel): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  // Deleted while open: there is nothing to list.
  if (stat) writeIndex(path, stat, session.header, session.tree);
}

interface Wanted {
  id: string;
  cwd: string;
  /** A session that is not stored yet. */
  begin?: { create: SessionHeader; history: readonly StoredEvent[]; unsaved: boolean };
  readOnly: boolean;
  options: SessionOptions;
}

/** An unsaved session leaves nothing on disk, so this device is not named for it. */
function newHeader(unsaved = false): Omit<SessionHeader, "meta"> & { meta: Record<string, never> } {
  return {
    version: LOG_VERSION,
    sessionId: newId(),
    deviceId: unsaved ? newId() : deviceId(homeDirectory()),
    createdAt: Date.now(),
    epoch: newId(),
    meta: {},
  };
}

function differs(workspace: Workspace, { allowWrite = [], ...others }: SessionOptions): boolean {
  const isOther = (key: keyof typeof others) =>
    others[key] !== undefined && JSON.stringify(others[key]) !== JSON.stringify(workspace[key]);
  const keys = ["model", "thinking", "tools", "appendSystemPrompt"] as const;
  return keys.some(isOther) || allowWrite.some((path) => !workspace.allowWrite.includes(canonicalDirectory(path)));
}
