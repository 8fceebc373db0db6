import { setTimeout as sleep } from "node:timers/promises";
import { isRepeatable, Reopening, withMessageId } from "@scorel/host/client";
import type {
  Client,
  CommandResult,
  LinkState,
  Operation,
  Operations,
  SessionOptions,
  Subscription,
} from "@scorel/host/contract";
import { codeOf, type ScorelError } from "@scorel/kernel";
import { environmentTexts } from "@scorel/kit/process/environment";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";
import { Home } from "./home.ts";
import { othersDone } from "./leaving.ts";
import { isPassing, Moves } from "./moves.ts";
import { MovingSubscription } from "./moving-subscription.ts";
import { isSaying, type OwnName } from "./own-name.ts";
import { Routes } from "./routes.ts";

/** The operations that open sessions. */
const OPENING: readonly Operation[] = ["create_session", "load_session", "continue_session", "clone_session"];
/** Operations that clients use at any time and that change nothing. */
const HARMLESS: readonly string[] = [
  ...["attend_requests", "follow_status", "get_status", "get_queue", "get_events", "complete_command", "wait_turn"],
];

/** Those that may be sent again: they open a stored session, and make no new one. */
const RETRIED: readonly Operation[] = ["load_session", "continue_session"];
/** The first and the longest number of milliseconds between two attempts to open a session, and for how long it is tried. */
const FIRST_WAIT_MS = 50;
const LAST_WAIT_MS = 500;
const OPENING_MS = 6_000;

/** A client that sends each request to the process that has the session: this one, the daemon of this home, or another one of this user. */
export class ReachingClient implements Client {
  private readonly ctx: DaemonContext;
  private readonly own: Client;
  private readonly opened: () => void;
  /** The sessions for which the user was told that this process waits until their turns end. */
  private readonly toldOf = new Set<string>();
  private readonly saysIn: OwnName["saysIn"] | undefined;
  private readonly home: Home;
  private readonly moves: Moves;
  /** The clients of the processes that have the sessions which this client has opened. */
  private readonly routes = new Routes();
  private readonly reopening = new Reopening();
  private readonly listeners = new Set<(state: LinkState) => void>();
  private current: LinkState;
  private latest: Client | undefined;

  /**
   * `opened` is called when a session is opened in this process, which others may join; `name` is the client's name at other hosts; `saysIn`
   * is called before the client says something in a session.
   */
  constructor(
    ctx: DaemonContext,
    own: Client,
    {
      opened,
      name = "command",
      saysIn,
    }: { opened(): void; name?: string | undefined; saysIn?: OwnName["saysIn"] | undefined },
  ) {
    this.ctx = ctx;
    this.own = own;
    this.opened = opened;
    this.saysIn = saysIn;
    this.current = { state: "live", version: ctx.launch.version };
    this.home = new Home(ctx, {
      ...{ name, own },
      changed: (daemon, state) => {
        if (daemon === this.latest) this.become(state);
        if (state.state === "waiting") this.moves.moveTakenSessions(daemon);
      },
    });
    const { home, routes, reopening } = this;
    this.moves = new Moves(ctx, {
      ...{ own, name, home, routes, reopening },
      open: (params, client) => this.open("load_session", params, client),
      away: (gone, state) => void (gone === this.latest && this.become(state)),
    });
  }

  /** The state of the connection to the host of the session that was opened last. */
  get state(): LinkState {
    return this.current;
  }

  onState(listener: (state: LinkState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The client's id at the host of the session that was opened last: each host assigns its own ids. */
  get clientId(): string {
    return (this.latest ?? this.own).clientId;
  }

  readonly request = async <O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
  ): Promise<Operations[O]["result"]> => {
    const { sessionId } = params as { sessionId?: string };
    const client = await this.clientFor(sessionId);
    if (sessionId !== undefined && isSaying(operation)) this.saysIn?.(sessionId);
    if (operation === "close_session" && sessionId !== undefined && client === this.own)
      await othersDone(this.ctx, this.own, { sessionIds: [sessionId], told: this.toldOf });
    return this.open(operation, withMessageId(operation, params), client);
  };

  /**
   * Sends a request to a client, or to the process that has the session if the client refuses for that reason. While that process starts or
   * ends, it cannot be reached, so a stored session is opened again for a while, unless the user interrupts.
   */
  private async open<O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
    client: Client,
  ): Promise<Operations[O]["result"]> {
    const until = Date.now() + OPENING_MS;
    const isOver = () => this.ctx.launch.interrupt.aborted || Date.now() > until;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LAST_WAIT_MS)) {
      try {
        return await this.openOnce(operation, params, client);
      } catch (thrown) {
        if (!RETRIED.includes(operation) || !isPassing(thrown) || isOver()) throw thrown;
      }
      await sleep(wait);
    }
  }

  private async openOnce<O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
    client: Client,
  ): Promise<Operations[O]["result"]> {
    try {
      return await this.ask(client, operation, params);
    } catch (thrown) {
      const [other, locked] = (await this.holderOf(thrown)) ?? [];
      if (!other || locked === undefined) throw thrown;
      return this.openAt(other, locked, operation, params) as Promise<Operations[O]["result"]>;
    }
  }

  /** Sends a request that opens a session to the process that has it. */
  private async openAt<O extends Operation>(other: Client, sessionId: string, operation: O, params: object) {
    if (operation === "continue_session") {
      const { cwd: _, ...options } = params as Operations["continue_session"]["params"];
      return this.ask(other, "load_session", { sessionId, ...options });
    }
    const { sessionId: asked = "" } = params as { sessionId?: string };
    if (operation !== "run_command" || sessionId.startsWith(asked))
      return this.ask(other, operation, params as Operations[O]["params"]);
    // `/resume` opens another session than the one in which the command runs.
    const status = await this.ask(other, "load_session", { sessionId });
    return { output: `Session ${sessionId}`, sessionId, data: status };
  }

  async subscribe(...given: Parameters<Client["subscribe"]>): Promise<Subscription> {
    const [sessionId] = given;
    const subscription = new MovingSubscription(this.heard(given), (client, error) =>
      this.moves.willContinue(sessionId, client, error),
    );
    try {
      await subscription.begin(await this.clientFor(sessionId));
    } catch (thrown) {
      const [other] = (await this.holderOf(thrown)) ?? [];
      if (!other) throw thrown;
      this.routes.set(sessionId, other);
      await subscription.begin(other);
    }
    return subscription.handle(this.moves.follow(subscription));
  }

  /** Wraps the listener of a subscription, to note the permission mode that has to be chosen again after a move. */
  private heard([sessionId, listener, options]: Parameters<Client["subscribe"]>): Parameters<Client["subscribe"]> {
    const hear: typeof listener = (delivered) => {
      this.reopening.hear(sessionId, delivered, this.clientId);
      return listener(delivered);
    };
    return [sessionId, hear, options];
  }

  async watchSessions(...given: Parameters<Client["watchSessions"]>): Promise<() => Promise<void>> {
    return (await this.home.get()).watchSessions(...given);
  }

  async drained(sessionId: string): Promise<void> {
    return (await this.clientFor(sessionId)).drained(sessionId);
  }

  async close(): Promise<void> {
    this.moves.end();
    await othersDone(this.ctx, this.own, { sessionIds: this.routes.at(this.own), told: this.toldOf });
    await Promise.all([this.home.close(), this.moves.close()]);
    await this.own.close();
    this.become({ state: "closed" });
  }

  /** Sends a request to a client, and remembers which sessions it opens there. */
  private async ask<O extends Operation>(
    client: Client,
    operation: O,
    given: Operations[O]["params"],
  ): Promise<Operations[O]["result"]> {
    const params = client === this.own ? given : this.withEnvironment(operation, given);
    const result = await this.answer(client, operation, params);
    this.reopening.take(operation, params, result);
    const sessionId = openedBy(operation, result);
    if (sessionId !== undefined) {
      this.routes.set(sessionId, client);
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
    if (!this.moves.isMoving || state.state !== "live") return state;
    return { ...state, moved: client === this.own ? "here" : "elsewhere" };
  }

  /** The answer of a client. If the session moves before the answer comes, asks the client that has the session then. */
  private answer<O extends Operation>(
    client: Client,
    operation: O,
    params: Operations[O]["params"],
  ): Promise<Operations[O]["result"]> {
    const { sessionId } = params as { sessionId?: string };
    const asked = client.request(operation, params);
    if (sessionId === undefined || client === this.own) return asked;
    const isRepeated = isRepeatable(operation) || HARMLESS.includes(operation);
    return this.routes.unlessMoved({ sessionId, client }, asked, async (to) => {
      if (!isRepeated) throw errors.DAEMON_MOVED({ operation });
      return this.answer(to, operation, params);
    });
  }

  private become(state: LinkState): void {
    const isNews = state.state !== this.current.state || state.state === "waiting";
    if (!isNews) return;
    this.current = state;
    for (const listener of [...this.listeners]) listener(state);
  }

  /** Adds the environment of this process to requests that open a session, so that its commands get the same variables as here. */
  private withEnvironment<P>(operation: Operation, params: P): P {
    if (!OPENING.includes(operation)) return params;
    const { environment = environmentTexts(this.ctx.launch.env) } = params as SessionOptions;
    return { ...params, environment };
  }

  private async clientFor(sessionId: string | undefined): Promise<Client> {
    if (sessionId === undefined) return this.home.get();
    await this.moves.done(sessionId);
    return this.routes.get(sessionId) ?? this.home.get();
  }

  /** The client of the process that has a session, and the session's id, if a request failed because another process has it. */
  private async holderOf(thrown: unknown): Promise<[Client, string] | undefined> {
    if (codeOf(thrown) !== "HOST_SESSION_LOCKED") return undefined;
    const { path, sessionId } = (thrown as ScorelError).data as { path: string; sessionId: string };
    const other = await this.moves.holderAt(path);
    return other && [other, sessionId];
  }
}

/** The id of the session that a request has opened. Commands such as `/new` open one, too. */
function openedBy(operation: Operation, result: object): string | undefined {
  return OPENING.includes(operation) || operation === "run_command" ? (result as CommandResult).sessionId : undefined;
}
