import { setTimeout as sleep } from "node:timers/promises";
import { openAgain, type Reopening, restoreMode } from "@scorel/host/client";
import type { Client, LinkState, Operations } from "@scorel/host/contract";
import { codeOf, messageOf, type ScorelError } from "@scorel/kernel";
import type { Holder } from "@scorel/kit/files/lock";
import { clause } from "@scorel/kit/text/one-line";
import type { DaemonContext } from "./context.ts";
import { Holders } from "./holders.ts";
import type { Home } from "./home.ts";
import type { MovingSubscription } from "./moving-subscription.ts";
import type { Routes } from "./routes.ts";
import { findDaemon } from "./state.ts";

/** The first and the longest number of milliseconds between two attempts to open a session again. */
const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 2_000;
/** Codes of temporary errors: another process has the session, or the process that had it has just ended. */
const PASSING = ["HOST_SESSION_LOCKED", "LINK_ENDED"];

/** Parts of the client whose sessions are moved. */
export interface MovesOptions {
  /** The client of this process. */
  own: Client;
  /** The client's name in other processes. */
  name: string;
  home: Home;
  routes: Routes;
  reopening: Reopening;
  /** Opens a session with a client, or with a client of the process that has the session. */
  open(params: Operations["load_session"]["params"], client: Client): Promise<unknown>;
  /** Called when a client has lost a session, which is being opened elsewhere, or cannot be opened. */
  away(gone: Client, state: LinkState): void;
}

/** Continues sessions with another client when the process that had them has ended, or has lost them to another process. */
export class Moves {
  private readonly ctx: DaemonContext;
  private readonly user: MovesOptions;
  private readonly holders: Holders;
  private readonly subscriptions = new Set<MovingSubscription>();
  /** Sessions that are being opened again, by id. Each promise settles when that is done. */
  private readonly moving = new Map<string, Promise<void>>();
  private closed = false;
  /** Whether a session is being opened again at this moment. */
  isMoving = false;

  constructor(ctx: DaemonContext, options: MovesOptions) {
    this.ctx = ctx;
    this.user = options;
    this.holders = new Holders(ctx, options.name, (gone, reason) => {
      for (const sessionId of options.routes.at(gone)) this.move(sessionId, gone, reason);
    });
  }

  /** Registers a subscription, so that it moves with its session. Returns a function that removes it. */
  follow(subscription: MovingSubscription): () => void {
    this.subscriptions.add(subscription);
    return () => void this.subscriptions.delete(subscription);
  }

  /** Resolves when a session is not being moved. */
  async done(sessionId: string): Promise<void> {
    await this.moving.get(sessionId);
  }

  /** The client of the process that holds a lock file; undefined for this process, and for one that cannot be reached. */
  async holderAt(path: string): Promise<Client | undefined> {
    const holder = this.holders.at(path);
    return holder && this.clientOf(holder);
  }

  /** Stops moving sessions. */
  end(): void {
    this.closed = true;
  }

  async close(): Promise<void> {
    await this.holders.close();
  }

  /** Called when a subscription has ended at the client that had its session. Returns whether it will continue elsewhere. */
  willContinue(sessionId: string, client: Client, error: Error): boolean {
    if (this.closed) return false;
    // All sessions of a process that has ended are moved.
    if (this.holders.has(client) && client.state?.state === "closed") return true;
    if (codeOf(error) !== "HOST_SESSION_LOCKED") return false;
    // While the host was away, another process has opened the session.
    this.move(sessionId, client, error.message);
    return true;
  }

  /** Called while the daemon is away: moves the sessions that another process has opened meanwhile. */
  moveTakenSessions(daemon: Client): void {
    for (const sessionId of this.user.routes.at(daemon)) {
      const holder = this.holders.of(sessionId);
      // A daemon that is ending may still hold them itself.
      if (holder && holder.pid !== findDaemon()?.pid) this.move(sessionId, daemon, "another process has the session");
    }
  }

  /** Opens a session that the client `gone` has lost, wherever it can be opened now, and moves its subscriptions there. */
  private move(sessionId: string, gone: Client, reason: string): void {
    if (this.closed || this.moving.has(sessionId)) return;
    const params = this.user.reopening.sessions().find((each) => each.sessionId === sessionId) ?? { sessionId };
    this.user.away(gone, { state: "waiting", at: Date.now(), reason: clause(reason) });
    const moved = this.reopen(params, gone)
      .catch((thrown) => this.notMoved(sessionId, gone, thrown))
      .finally(() => this.moving.delete(sessionId));
    this.moving.set(sessionId, moved);
  }

  private notMoved(sessionId: string, gone: Client, thrown: unknown): void {
    this.user.routes.delete(sessionId);
    if (this.closed) return;
    this.ctx.launch.stderr.write(`scorel: ${messageOf(thrown)}\n`);
    for (const subscription of this.subscriptionsOf(sessionId)) subscription.fail(thrown as Error);
    this.user.away(gone, { state: "closed", error: thrown as Error });
  }

  /** Tries until the session is open: an ending process releases it a moment later, and a starting one has no socket yet. */
  private async reopen(params: Operations["load_session"]["params"], gone: Client): Promise<void> {
    const { sessionId } = params;
    for (let wait = FIRST_WAIT_MS; !this.closed; wait = Math.min(wait * 1.5, LAST_WAIT_MS)) {
      const holder = this.holders.of(sessionId);
      const client = holder ? await this.clientOf(holder) : await this.user.home.now();
      // This client connects again by itself, and then continues the session.
      if (client === gone && !isLive(client)) return;
      try {
        // The daemon may be away for long, or forever.
        if (client) return await this.goOnAt(isLive(client) ? client : this.user.own, params);
      } catch (thrown) {
        if (!PASSING.includes(codeOf(thrown))) throw thrown;
      }
      await sleep(wait);
    }
  }

  private async goOnAt(client: Client, params: Operations["load_session"]["params"]): Promise<void> {
    const { sessionId } = params;
    this.isMoving = true;
    const isOthers = await openAgain(params, (_, given) =>
      this.user.open(given as Operations["load_session"]["params"], client),
    ).finally(() => {
      this.isMoving = false;
    });
    const now = this.user.routes.get(sessionId) as Client;
    for (const attending of this.user.reopening.attending())
      if (attending.sessionId === sessionId) await now.request("attend_requests", attending);
    for (const subscription of this.subscriptionsOf(sessionId)) await subscription.move(now);
    if (!isOthers) return;
    await now.drained(sessionId);
    const choose = (operation: "load_session" | "set_permission", given: object) =>
      now.request(operation, given as Operations["set_permission"]["params"]);
    // A client that may not choose the mode gets to know it from the session.
    await restoreMode(sessionId, this.user.reopening, choose).catch(() => {});
  }

  private subscriptionsOf(sessionId: string): MovingSubscription[] {
    return [...this.subscriptions].filter((each) => each.sessionId === sessionId);
  }

  /** The client of the process that holds a session; undefined if the process cannot be reached now. */
  private async clientOf(holder: Holder): Promise<Client | undefined> {
    // Only a daemon is looked for again when it is away; other processes are not restarted.
    if (findDaemon()?.pid === holder.pid) {
      const home = await this.user.home.now();
      if (home !== this.user.own) return isLive(home) ? home : undefined;
    }
    return this.holders.reach(holder);
  }
}

/** Whether an error means that the session can be opened in a moment: its process starts or ends, and is not suspended. */
export function isPassing(thrown: unknown): boolean {
  const { suspended = false } = Object((thrown as Partial<ScorelError>)?.data) as { suspended?: boolean };
  return PASSING.includes(codeOf(thrown)) && !suspended;
}

function isLive(client: Client): boolean {
  return (client.state?.state ?? "live") === "live";
}
