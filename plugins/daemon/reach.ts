import { setTimeout as sleep } from "node:timers/promises";
import { type RemoteClient, Reopening } from "@scorel/host/client";
import type {
  Client,
  LinkState,
  Operation,
  Operations,
  SessionOptions,
  SessionStatus,
  Subscription,
} from "@scorel/host/contract";
import { codeOf, messageOf, type ScorelError } from "@scorel/kernel";
import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { environmentTexts } from "@scorel/kit/process/environment";
import { ownIdentity } from "@scorel/kit/process/identity";
import type { DaemonContext } from "./context.ts";
import { dialDaemon } from "./daemon-client.ts";
import { dialHost } from "./dial.ts";
import { othersDone } from "./leaving.ts";
import { removeLeftSockets } from "./left-sockets.ts";
import { MovingSubscription } from "./moving-subscription.ts";
import { socketOf } from "./run-folder.ts";

/** Time that a process that ends gets to give the locks of its sessions back. */
const REOPEN_MS = 15_000;
/** Time between two attempts to open such a session. */
const REOPEN_EVERY_MS = 100;
/** The operations that open sessions. */
const OPENING: readonly Operation[] = ["create_session", "load_session", "continue_session", "clone_session"];

/** A client that asks whoever has a session: this process, the daemon of this home, or another process of this user. */
export class ReachingClient implements Client {
  private readonly ctx: DaemonContext;
  private readonly own: Client;
  private readonly opened: () => void;
  private readonly name: string;
  /** Where new sessions are opened: the daemon, or this process. */
  private home: Promise<Client> | undefined;
  /** Other processes, by their sockets. */
  private readonly others = new Map<string, Promise<RemoteClient>>();
  /** Who has the sessions that this client has opened. */
  private readonly routes = new Map<string, Client>();
  private readonly reopening = new Reopening();
  private readonly subscriptions = new Set<MovingSubscription>();
  /** Clients of processes whose sessions are opened elsewhere when they end. */
  private readonly passing = new WeakSet<Client>();
  private readonly listeners = new Set<(state: LinkState) => void>();
  private current: LinkState;
  private latest: Client | undefined;
  private closed = false;
  /** A session of a process that has ended is being opened again. */
  private isMoving = false;
  /** Settles when the sessions of a process that has ended are open again. */
  private moving: Promise<unknown> | undefined;

  /** `opened` is called when a session is opened in this process that others may join; `name` is what other hosts are told. */
  constructor(
    ctx: DaemonContext,
    own: Client,
    { opened, name = "command" }: { opened: () => void; name?: string | undefined },
  ) {
    this.ctx = ctx;
    this.own = own;
    this.opened = opened;
    this.name = name;
    this.current = { state: "live", version: ctx.launch.version };
  }

  /** How the host of the session that was opened last is connected. */
  get state(): LinkState {
    return this.current;
  }

  onState(listener: (state: LinkState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** As the host knows it that opened a session last: there, other clients have other ids. */
  get clientId(): string {
    return (this.latest ?? this.own).clientId;
  }

  readonly request = async <O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
  ): Promise<Operations[O]["result"]> => {
    const { sessionId } = params as { sessionId?: string };
    const client = await this.clientFor(sessionId);
    if (operation === "close_session" && sessionId !== undefined && client === this.own)
      await othersDone(this.ctx, this.own, [sessionId]);
    return this.open(operation, params, client);
  };

  /** Asks a client, or whoever has the session if that is why it refuses. */
  private async open<O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
    client: Client,
  ): Promise<Operations[O]["result"]> {
    try {
      return await this.ask(client, operation, params);
    } catch (thrown) {
      const [other, locked] = (await this.holderOf(thrown)) ?? [];
      if (!other) throw thrown;
      if (operation !== "continue_session") return this.ask(other, operation, params);
      const { cwd: _, ...options } = params as Operations["continue_session"]["params"];
      const loading = this.ask(other, "load_session", { sessionId: locked as string, ...options });
      return loading as Promise<Operations[O]["result"]>;
    }
  }

  async subscribe(...given: Parameters<Client["subscribe"]>): Promise<Subscription> {
    const subscription = new MovingSubscription(given);
    const [sessionId] = given;
    try {
      await this.begin(subscription, await this.clientFor(sessionId));
    } catch (thrown) {
      const [other] = (await this.holderOf(thrown)) ?? [];
      if (!other) throw thrown;
      this.routes.set(sessionId, other);
      await this.begin(subscription, other);
    }
    this.subscriptions.add(subscription);
    return subscription.handle(() => this.subscriptions.delete(subscription));
  }

  async watchSessions(...given: Parameters<Client["watchSessions"]>): Promise<() => Promise<void>> {
    return (await this.athome()).watchSessions(...given);
  }

  async drained(sessionId: string): Promise<void> {
    return (await this.clientFor(sessionId)).drained(sessionId);
  }

  async close(): Promise<void> {
    this.closed = true;
    const own = [...this.routes].flatMap(([sessionId, client]) => (client === this.own ? sessionId : []));
    await othersDone(this.ctx, this.own, own);
    const all = await Promise.allSettled([this.home, ...this.others.values()]);
    const clients = new Set([this.own, ...all.flatMap((each) => (each.status === "fulfilled" && each.value) || [])]);
    await Promise.all([...clients].map((client) => client.close()));
    this.become({ state: "closed" });
  }

  private begin(subscription: MovingSubscription, client: Client): Promise<void> {
    return subscription.begin(client, this.passing.has(client));
  }

  /** Asks a client, and remembers which sessions it opens there. */
  private async ask<O extends Operation>(
    client: Client,
    operation: O,
    given: Operations[O]["params"],
  ): Promise<Operations[O]["result"]> {
    const params = client === this.own ? given : this.withEnvironment(operation, given);
    const result = await client.request(operation, params);
    this.reopening.take(operation, params, result);
    if (OPENING.includes(operation)) {
      this.routes.set((result as SessionStatus).sessionId, client);
      this.latest = client;
      this.become(this.stateOf(client));
      const { unsaved = false } = params as { unsaved?: boolean };
      if (client === this.own && !unsaved) this.opened();
    }
    if (operation === "close_session") this.routes.delete((params as { sessionId: string }).sessionId);
    return result;
  }

  private stateOf(client: Client): LinkState {
    const state = client.state ?? { state: "live", version: this.ctx.launch.version };
    if (!this.isMoving || state.state !== "live") return state;
    return { ...state, moved: client === this.own ? "here" : "elsewhere" };
  }

  /** Another process has ended: its sessions are opened here, or wherever somebody was faster, and subscriptions go on. */
  private async takeOver(gone: Client): Promise<void> {
    const sessions = [...this.routes].flatMap(([sessionId, client]) => (client === gone ? sessionId : []));
    for (const sessionId of sessions) this.routes.delete(sessionId);
    if (this.closed) return;
    for (const params of this.reopening.sessions().filter(({ sessionId }) => sessions.includes(sessionId)))
      await this.moveTo(params, gone);
  }

  private async moveTo(params: Operations["load_session"]["params"], gone: Client): Promise<void> {
    const own = [...this.subscriptions].filter(({ sessionId }) => sessionId === params.sessionId);
    try {
      this.isMoving = true;
      const client = await this.reopen(params).finally(() => {
        this.isMoving = false;
      });
      for (const subscription of own) await subscription.move(client, this.passing.has(client));
    } catch (thrown) {
      this.ctx.launch.stderr.write(`scorel: ${messageOf(thrown)}\n`);
      for (const subscription of own) subscription.fail(thrown as Error);
      if (this.latest === gone) this.become({ state: "closed", error: thrown as Error });
    }
  }

  /** The client of another process has a new state. */
  private passedOn(client: Client, socket: string, state: LinkState): void {
    if (state.state !== "closed") return;
    this.others.delete(socket);
    if (client === this.latest && !this.closed)
      this.become({ state: "waiting", at: Date.now(), reason: state.error?.message ?? "the process ended" });
    this.moving = Promise.all([this.moving, this.takeOver(client)]);
  }

  private become(state: LinkState): void {
    const isNews = state.state !== this.current.state || state.state === "waiting";
    if (!isNews) return;
    this.current = state;
    for (const listener of [...this.listeners]) listener(state);
  }

  /** Opens a session whose process is ending: it gives its lock back a moment after its clients have left. */
  private async reopen(params: Operations["load_session"]["params"]): Promise<Client> {
    for (const until = Date.now() + REOPEN_MS; ; await sleep(REOPEN_EVERY_MS))
      try {
        await this.open("load_session", params, await this.athome());
        return this.routes.get(params.sessionId) as Client;
      } catch (thrown) {
        if (codeOf(thrown) !== "HOST_SESSION_LOCKED" || Date.now() > until || this.closed) throw thrown;
      }
  }

  /** Commands in a session of a host elsewhere get the variables of this process, as they would here. */
  private withEnvironment<P>(operation: Operation, params: P): P {
    if (!OPENING.includes(operation)) return params;
    const { environment = environmentTexts(this.ctx.launch.env) } = params as SessionOptions;
    return { ...params, environment };
  }

  private async clientFor(sessionId: string | undefined): Promise<Client> {
    await this.moving;
    const known = sessionId === undefined ? undefined : this.routes.get(sessionId);
    return known ?? this.athome();
  }

  private athome(): Promise<Client> {
    this.home ??= dialDaemon(this.ctx, this.name).then((daemon) => {
      daemon?.onState((state) => {
        if (daemon === this.latest) this.become(state);
      });
      return daemon ?? this.own;
    });
    return this.home;
  }

  /** The client of the process that has a session, and the session's id, if that is why a request failed. */
  private async holderOf(thrown: unknown): Promise<[Client, string] | undefined> {
    if (codeOf(thrown) !== "HOST_SESSION_LOCKED") return undefined;
    const { path, sessionId } = (thrown as ScorelError).data as { path: string; sessionId: string };
    const holder = holderOf(path);
    if (!holder || !isHeld(path, holder) || holder.pid === ownIdentity().pid) return undefined;
    const socket = socketOf(holder);
    let other = this.others.get(socket);
    if (!other) {
      // A process that ends does not come back; its sessions can then be opened by this one.
      removeLeftSockets((thrown) => this.ctx.logger.warn("Sockets of ended processes stay", thrown));
      other = dialHost(this.ctx, socket, { name: this.name, reconnect: false });
      this.others.set(socket, other);
      other.then(
        (client) => {
          this.passing.add(client);
          client.onState((state) => this.passedOn(client, socket, state));
        },
        () => this.others.delete(socket),
      );
    }
    // A process of an earlier version has no socket, and one that is ending has it no more: the session stays locked.
    return other.then(
      (client) => [client, sessionId],
      () => undefined,
    );
  }
}
