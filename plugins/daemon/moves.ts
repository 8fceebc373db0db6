import { setTimeout as sleep } from "node:timers/promises";
import { openAgain, type Reopening, restoreMode } from "@scorel/host/client";
import type { Client, LinkState, Operations } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import type { Holder } from "@scorel/kit/files/lock";
import { clause } from "@scorel/kit/text/one-line";
import type { DaemonContext } from "./context.ts";
import { Holders } from "./holders.ts";
import type { Home } from "./home.ts";
import type { MovingSubscription } from "./moving-subscription.ts";
import type { Routes } from "./routes.ts";
import { findDaemon } from "./state.ts";

/** The first and the longest time between two attempts to open a session again. */
const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 2_000;
/** Errors that pass: somebody else has the session, or the process that had it has just ended. */
const PASSING = ["HOST_SESSION_LOCKED", "LINK_ENDED"];

/** Parts of the client whose sessions are moved. */
export interface MovesOptions {
  /** The client of this process. */
  own: Client;
  /** What other processes are told about the client. */
  name: string;
  home: Home;
  routes: Routes;
  reopening: Reopening;
  /** Opens a session at a client, or at the client of whoever has it. */
  open(params: Operations["load_session"]["params"], client: Client): Promise<unknown>;
  /** A session is gone at a client, and is being opened elsewhere, or cannot be opened. */
  away(gone: Client, state: LinkState): void;
}

/** Goes on with sessions elsewhere when the process that had them has ended, or has lost them to another one. */
export class Moves {
  private readonly ctx: DaemonContext;
  private readonly user: MovesOptions;
  private readonly holders: Holders;
  private readonly subscriptions = new Set<MovingSubscription>();
  /** Sessions that are being opened again. Each promise settles when that is done. */
  private readonly moving = new Map<string, Promise<void>>();
  private closed = false;
  /** A session is being opened again at this moment. */
  isMoving = false;

  constructor(ctx: DaemonContext, options: MovesOptions) {
    this.ctx = ctx;
    this.user = options;
    this.holders = new Holders(ctx, options.name, (gone, reason) => {
      for (const sessionId of options.routes.at(gone)) this.move(sessionId, gone, reason);
    });
  }

  /** Takes note of a subscription. Returns the function that forgets it. */
  follow(subscription: MovingSubscription): () => void {
    this.subscriptions.add(subscription);
    return () => void this.subscriptions.delete(subscription);
  }

  /** Resolves when a session is not being moved any more. */
  async done(sessionId: string): Promise<void> {
    await this.moving.get(sessionId);
  }

  /** The client of the process that holds a lock file, if that is another process that can be reached. */
  async holderAt(path: string): Promise<Client | undefined> {
    const holder = this.holders.at(path);
    return holder && this.clientOf(holder);
  }

  /** From now on, nothing is moved any more. */
  end(): void {
    this.closed = true;
  }

  async close(): Promise<void> {
    await this.holders.close();
  }

  /** A subscription has ended at the client that had its session. Returns whether it goes on elsewhere. */
  goesOn(sessionId: string, client: Client, error: Error): boolean {
    if (this.closed) return false;
    // Its sessions are moved, as all of a process that has ended.
    if (this.holders.has(client) && client.state?.state === "closed") return true;
    if (codeOf(error) !== "HOST_SESSION_LOCKED") return false;
    // The host was away, and another process has opened the session meanwhile.
    this.move(sessionId, client, error.message);
    return true;
  }

  /** The daemon is away: goes on with the sessions that another process has opened meanwhile. */
  lookElsewhere(daemon: Client): void {
    for (const sessionId of this.user.routes.at(daemon)) {
      const holder = this.holders.of(sessionId);
      // As long as the daemon is ending, it has them itself.
      if (holder && holder.pid !== findDaemon()?.pid) this.move(sessionId, daemon, "another process has the session");
    }
  }

  /** Opens a session again that `gone` has no more, wherever it can be open now, and goes on there. */
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

  /** Tries until the session is open: a process that ends gives it back a moment later, and one that starts has no socket yet. */
  private async reopen(params: Operations["load_session"]["params"], gone: Client): Promise<void> {
    const { sessionId } = params;
    for (let wait = FIRST_WAIT_MS; !this.closed; wait = Math.min(wait * 1.5, LAST_WAIT_MS)) {
      const holder = this.holders.of(sessionId);
      const client = holder ? await this.clientOf(holder) : await this.user.home.now();
      // It connects again by itself, and goes on with the session then.
      if (client === gone && !isLive(client)) return;
      try {
        // The daemon may be away for long, or for ever.
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
    // Whoever may not choose it any more hears of the mode from the session.
    await restoreMode(sessionId, this.user.reopening, choose).catch(() => {});
  }

  private subscriptionsOf(sessionId: string): MovingSubscription[] {
    return [...this.subscriptions].filter((each) => each.sessionId === sessionId);
  }

  /** The client of the process that holds a session; undefined if that cannot be reached now. */
  private async clientOf(holder: Holder): Promise<Client | undefined> {
    // The daemon is looked for again when it is away; other processes do not come back.
    if (findDaemon()?.pid === holder.pid) {
      const home = await this.user.home.now();
      if (home !== this.user.own) return isLive(home) ? home : undefined;
    }
    return this.holders.reach(holder);
  }
}

function isLive(client: Client): boolean {
  return (client.state?.state ?? "live") === "live";
}
