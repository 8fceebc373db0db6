import { setTimeout as sleep } from "node:timers/promises";
import { type RemoteClient, Reopening } from "@scorel/host/client";
import type { Client, Operation, Operations, SessionOptions, SessionStatus, Subscription } from "@scorel/host/contract";
import { codeOf, messageOf, type ScorelError } from "@scorel/kernel";
import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { environmentTexts } from "@scorel/kit/process/environment";
import { ownIdentity } from "@scorel/kit/process/identity";
import type { DaemonContext } from "./context.ts";
import { dialHost } from "./dial.ts";
import { MovingSubscription } from "./moving-subscription.ts";
import { socketOf } from "./run-folder.ts";
import { type DaemonState, findDaemon } from "./state.ts";

/** Time between two looks at a session that others are working in. */
const LOOK_MS = 100;
/** Time that those who have joined a session get to leave it when nothing runs any more. */
const FAREWELL_MS = 1_000;
/** Time after which the user is told what the process waits for. */
const TELL_MS = 2_000;

/** Time that a process that ends gets to give the locks of its sessions back. */
const REOPEN_MS = 15_000;
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
  private latest: Client | undefined;
  private closed = false;
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
    if (operation === "close_session" && sessionId !== undefined) await this.leave(client, [sessionId]);
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
      await subscription.begin(await this.clientFor(sessionId));
    } catch (thrown) {
      const [other] = (await this.holderOf(thrown)) ?? [];
      if (!other) throw thrown;
      this.routes.set(sessionId, other);
      await subscription.begin(other);
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
    await this.leave(this.own, own);
    const all = await Promise.allSettled([this.home, ...this.others.values()]);
    const clients = new Set([this.own, ...all.flatMap((each) => (each.status === "fulfilled" && each.value) || [])]);
    await Promise.all([...clients].map((client) => client.close()));
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
      const { unsaved = false } = params as { unsaved?: boolean };
      if (client === this.own && !unsaved) this.opened();
    }
    if (operation === "close_session") this.routes.delete((params as { sessionId: string }).sessionId);
    return result;
  }

  /** Another process has ended: its sessions are opened here, or wherever somebody was faster, and subscriptions go on. */
  private async takeOver(gone: Client): Promise<void> {
    const sessions = [...this.routes].flatMap(([sessionId, client]) => (client === gone ? sessionId : []));
    for (const sessionId of sessions) this.routes.delete(sessionId);
    if (this.closed) return;
    for (const params of this.reopening.sessions().filter(({ sessionId }) => sessions.includes(sessionId)))
      try {
        const client = await this.reopen(params);
        const own = [...this.subscriptions].filter(({ sessionId }) => sessionId === params.sessionId);
        for (const subscription of own) await subscription.move(client);
      } catch (thrown) {
        this.ctx.launch.stderr.write(`scorel: ${messageOf(thrown)}\n`);
      }
  }

  /** Opens a session whose process is ending: it gives its lock back a moment after its clients have left. */
  private async reopen(params: Operations["load_session"]["params"]): Promise<Client> {
    for (const until = Date.now() + REOPEN_MS; ; await sleep(LOOK_MS))
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
    this.home ??= this.daemon().then((daemon) => daemon ?? this.own);
    return this.home;
  }

  /** The daemon, if it can stand in for this process: it has the same version and preset. */
  private async daemon(): Promise<Client | undefined> {
    const found = findDaemon();
    if (!found?.state || found.pid === process.pid) return undefined;
    const { launch } = this.ctx;
    let { state } = found;
    const preset = launch.preset ?? "coding";
    if (state.preset !== preset) {
      const text = `the running host has the preset ${state.preset}, not ${preset}, so it is not used`;
      if (launch.stderr.isTTY) launch.stderr.write(`scorel: ${text}\n`);
      return undefined;
    }
    if (state.version !== launch.version) {
      const replaced = await (await import("./replace.ts")).replaceIdle(this.ctx, state);
      if (!replaced) return undefined;
      state = replaced;
    }
    const address = socketIn(state.addresses);
    if (address === undefined) return undefined;
    try {
      // A daemon that is started again has another socket.
      const now = () => {
        const { state } = findDaemon() ?? {};
        return (state?.preset === preset ? socketIn(state.addresses) : undefined) ?? address;
      };
      return await dialHost(this.ctx, address, { name: this.name, now });
    } catch (thrown) {
      launch.stderr.write(`scorel: the running host cannot be reached, going on without it: ${messageOf(thrown)}\n`);
      return undefined;
    }
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
      other = dialHost(this.ctx, socket, { name: this.name, reconnect: false });
      this.others.set(socket, other);
      other.then(
        (client) =>
          client.onState(({ state }) => {
            if (state !== "closed") return;
            this.others.delete(socket);
            this.moving = Promise.all([this.moving, this.takeOver(client)]);
          }),
        () => this.others.delete(socket),
      );
    }
    // A process of an earlier version has no socket, and one that is ending has it no more: the session stays locked.
    return other.then(
      (client) => [client, sessionId],
      () => undefined,
    );
  }

  /** Waits until no turn runs any more in sessions that other processes have joined, unless the user interrupts. */
  private async leave(client: Client, sessionIds: readonly string[]): Promise<void> {
    if (client !== this.own) return;
    const { interrupt, stderr } = this.ctx.launch;
    const since = Date.now();
    let isTold = false;
    for (const sessionId of sessionIds)
      for (let quietSince = 0; !interrupt.aborted; await sleep(LOOK_MS)) {
        const status = await this.own.request("get_status", { sessionId }).catch(() => undefined);
        if (status?.clients === undefined) break;
        const isBusy = status.running || (status.waiting ?? 0) > 0;
        quietSince = isBusy ? 0 : quietSince || Date.now();
        // Whoever got its answer has a moment to leave.
        if (!isBusy && Date.now() - quietSince > FAREWELL_MS) break;
        if (isTold || Date.now() - since < TELL_MS) continue;
        isTold = true;
        stderr.write("scorel: others work in this session, waiting for their turn to end (Ctrl-C ends it)\n");
      }
  }
}

function socketIn(addresses: DaemonState["addresses"]): string | undefined {
  return addresses.find(({ transport }) => transport === "socket")?.address;
}
