import { existsSync, statSync } from "node:fs";
import {
  type AnyEvent,
  type BaseContext,
  createKernel,
  type EventId,
  type Kernel,
  type SessionHeader,
  type StoredEvent,
} from "@scorel/kernel";
import { createMemoryStore, type Store } from "@scorel/kernel/store";
import { reasonOf } from "@scorel/kit/values/coded-error";
import type { Composition, Notice, SessionOption, SessionOptions } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import { cwdOf } from "../places.ts";
import { optionsOf } from "../session-options.ts";
import { createSessionStore, SessionStore } from "../storage/session-store.ts";
import { SessionStream } from "../stream/session-stream.ts";
import { StatusChanges } from "../stream/status-changes.ts";
import { createWorkspace } from "../workspace.ts";
import { chosenModel } from "./chosen-model.ts";
import { startingWith, writeNow } from "./copy.ts";
import { cleanName } from "./new-session.ts";
import type { OpenSession, SessionPlugins } from "./open-session.ts";
import { OpenSummary } from "./open-summary.ts";
import { assertInside, assertLimited, parentOf, pluginChoice, relatedIn } from "./relations.ts";
import type { Shelf } from "./shelf.ts";

/** Options for creating a session. */
export interface NewOptions extends SessionOptions {
  /** Keeps the log in memory only. */
  unsaved?: boolean | undefined;
}
export interface CloneOptions extends NewOptions {
  /** Last event to copy, or the beginning of its id. Default: the active leaf. */
  eventId?: EventId | undefined;
  /** Creates the file immediately, not with the first event. */
  atOnce?: boolean | undefined;
  /** An id chosen by the client. A second call with it returns the same session. */
  messageId?: string | undefined;
}
export interface SessionsOptions {
  shelf: Shelf;
  composition: Composition;
  logger: BaseContext["logger"];
  /** Returns the options that a session can be opened with. */
  sessionOptions(): readonly SessionOption[];
  /** Maximum number of turns that run at a time; 0 means no limit. */
  concurrentTurns: number;
}
interface StarterOptions extends SessionsOptions {
  /** Called with each event of a session that was started. */
  onEvent(session: OpenSession, event: AnyEvent): void;
  /** Returns the session with this id if it is open. */
  find(id: string): OpenSession | undefined;
}

/** How a session is to be started. */
export interface Wanted {
  id: string;
  cwd: string;
  /** Set for a session that is not stored yet. */
  begin?: { create: SessionHeader; history: readonly StoredEvent[]; unsaved: boolean; atOnce: boolean };
  readOnly: boolean;
  tail?: number | undefined;
  options: SessionOptions;
  /** Problems found before the session was started. */
  problems: readonly Notice[];
}

/** Starts the kernels of sessions, over a new log or a stored one. Does not keep the sessions. */
export class SessionStarter {
  private readonly options: StarterOptions;
  /** True when no further session may start. */
  stopped = false;

  constructor(options: StarterOptions) {
    this.options = options;
  }

  /** Starts a session that is not stored yet. */
  begin(
    create: SessionHeader & { meta: { cwd: string } },
    { unsaved = false, atOnce = false, ...options }: NewOptions & Pick<CloneOptions, "atOnce">,
    { history = [], problems = [] }: { history?: readonly StoredEvent[]; problems?: readonly Notice[] },
  ): Promise<OpenSession> {
    const { sessionId: id, meta } = create;
    const begin = { create, history, unsaved, atOnce };
    return this.start({ id, cwd: meta.cwd, begin, readOnly: false, options, problems });
  }

  /** Starts a stored session; see `Sessions.look` for `readOnly` and `tail`, and `start` for `ready`. Throws HOST_CWD_GONE. */
  async stored(
    id: string,
    options: SessionOptions,
    { readOnly, tail, ready }: Pick<Wanted, "readOnly" | "tail"> & { ready?: (session: OpenSession) => void },
  ): Promise<OpenSession> {
    const { value: cwd, problems } = await cwdOf(this.options.composition.kernel(), this.options.shelf.header(id));
    if (cwd === undefined || (!existsSync(cwd) && !readOnly)) throw errors.HOST_CWD_GONE({ sessionId: id, cwd });
    return this.start({ id, cwd, readOnly, tail, options, problems }, undefined, ready);
  }

  /** Starts a session. `ready` is called before `session_start`; if it throws, the session is stopped. */
  async start(wanted: Wanted, plugins?: SessionPlugins, ready?: (session: OpenSession) => void): Promise<OpenSession> {
    const { id, cwd, options } = wanted;
    // Nothing would close a session that is opened now, so its lock file would be left behind.
    if (this.stopped && !wanted.readOnly) throw errors.HOST_STOPPED({ sessionId: id });
    const { composition, logger, sessionOptions, shelf } = this.options;
    const file = wanted.begin?.unsaved ? undefined : shelf.path(id);
    const parent = composition.kernel();
    const related = relatedIn(wanted.begin?.create ?? shelf.header(id));
    const made =
      plugins ?? (await composition.sessionPlugins(cwd, { ...pluginChoice(related), readOnly: wanted.readOnly }));
    const { entries, problems, ...place } = made;
    if (made.locks?.length) (await import("./locked-options.ts")).assertWithinLocks(options, sessionOptions(), made);
    if (!wanted.readOnly) assertLimited([...entries, ...parent.started].map(pluginId), related);
    const workspace = createWorkspace(
      { sessionId: id, cwd, file, ...place, ...parentOf(related, this.options.find), ...options },
      sessionOptions(),
    );
    if (related.inherited) assertInside(workspace.allowWrite, related.inherited);
    let summary: OpenSummary | undefined;
    const store = this.store(wanted, () => writeSummary(shelf.path(id), summary));
    const redact = (text: string, own: Pick<Kernel, "find">) => own.find("secrets")?.redact(text) ?? text;
    const kernel = await createKernel({ entries, store, parent, services: { workspace }, logger, redact });
    const renamed = wanted.begin ? await cleanName(wanted.begin.create, kernel) : [];
    summary = new OpenSummary(shelf.path(id), kernel.session);
    if (wanted.begin?.atOnce) await writeNow(store, kernel);
    const isChosen = options.model === undefined && !wanted.readOnly;
    const notices = [...renamed, ...(isChosen ? await chosenModel(kernel) : [])];
    const session: OpenSession = {
      id,
      kernel,
      stream: new SessionStream(kernel, (event) => {
        session.changes.take(event);
        this.options.onEvent(session, event);
      }),
      changes: new StatusChanges(() => session),
      summary,
      workspace,
      problems: [...wanted.problems, ...problems, ...notices],
      made,
      turns: new Map(),
      users: new Set(),
      followers: new Set(),
    };
    try {
      ready?.(session);
    } catch (thrown) {
      await kernel.stop();
      throw thrown;
    }
    // All plugins are listening by now. A read-only session is not started.
    if (!wanted.readOnly) kernel.session.emit("session_start", {});
    else if (store instanceof SessionStore) await store.complete(() => announceAbandoned(kernel));
    return session;
  }

  /** Returns how to reopen a session, including everything written so far. */
  again({ id, kernel: { session }, workspace }: OpenSession): Wanted {
    const options = optionsOf(workspace, this.options.sessionOptions());
    const wanted = { id, cwd: workspace.cwd, readOnly: false, options, problems: [] };
    const unsaved = workspace.file === undefined;
    // The file does not exist before the first event.
    if (!unsaved && existsSync(this.options.shelf.path(id))) return wanted;
    const history = unsaved ? session.tree.tail(Number.POSITIVE_INFINITY) : [];
    return { ...wanted, begin: { create: session.header, history, unsaved, atOnce: false } };
  }

  private store({ id, begin, readOnly, tail }: Wanted, onComplete: () => void): Store {
    const { logger, shelf } = this.options;
    if (begin?.unsaved) return createMemoryStore(begin.create, begin.history);
    const path = shelf.path(id);
    const store = createSessionStore({
      logs: shelf.logs,
      path,
      sessionId: id,
      readOnly,
      tail,
      ...(begin && { create: begin.create }),
      onComplete,
      onPartialFailure: (thrown) =>
        logger.warn(`Session ${id}`, errors.HOST_PARTIAL({ path, reason: reasonOf(thrown) })),
    });
    return begin?.history.length ? startingWith(begin.history, store) : store;
  }
}

/** Lets plugins add events that end the unfinished work of an earlier process, such as results of lost calls. */
function announceAbandoned(kernel: Kernel): Promise<void> {
  kernel.session.emit("session_abandoned", {});
  return kernel.drained();
}

function writeSummary(path: string, summary: OpenSummary | undefined): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  // The log was deleted while it was open.
  if (stat) summary?.write(stat);
}

function pluginId({ plugin }: { plugin: string | { id: string } }): string {
  return typeof plugin === "string" ? plugin : plugin.id;
}
