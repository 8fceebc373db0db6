import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Operation, Operations, Subscription } from "@scorel/host/contract";
import { codeOf, messageOf, type ScorelError } from "@scorel/kernel";
import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { environmentTexts } from "@scorel/kit/process/environment";
import { ownIdentity } from "@scorel/kit/process/identity";
import type { DaemonContext } from "./context.ts";
import { dialHost } from "./dial.ts";
import { socketOf } from "./run-folder.ts";
import { findDaemon } from "./state.ts";

/** Time between two looks at a session that others are working in. */
const LOOK_MS = 100;
/** Time that those who have joined a session get to leave it when nothing runs any more. */
const FAREWELL_MS = 1_000;
/** Time after which the user is told what the process waits for. */
const TELL_MS = 2_000;

/** The operations that open sessions. */
const OPENING: readonly Operation[] = ["create_session", "load_session", "continue_session", "clone_session"];

/** A client that asks whoever has a session: this process, the daemon of this home, or another process of this user. */
export class ReachingClient implements Client {
  private readonly ctx: DaemonContext;
  private readonly own: Client;
  /** Where new sessions are opened: the daemon, or this process. */
  private home: Promise<Client> | undefined;
  private readonly others = new Map<string, Promise<Client>>();
  /** Who has which session. */
  private readonly routes = new Map<string, Client>();

  constructor(ctx: DaemonContext, own: Client) {
    this.ctx = ctx;
    this.own = own;
  }

  get clientId(): string {
    return this.own.clientId;
  }

  readonly request = async <O extends Operation>(
    operation: O,
    given: Operations[O]["params"],
  ): Promise<Operations[O]["result"]> => {
    const client = await this.clientFor(given as { sessionId?: string });
    const params = client === this.own ? given : this.withEnvironment(operation, given);
    if (operation === "close_session" && client === this.own)
      await this.leave([(params as { sessionId: string }).sessionId]);
    try {
      return this.noted(client, await client.request(operation, params));
    } catch (thrown) {
      const holder = await this.holderOf(thrown);
      if (!holder) throw thrown;
      const [other, sessionId] = holder;
      if (operation !== "continue_session") return this.noted(other, await other.request(operation, params));
      const { cwd: _, ...options } = params as Operations["continue_session"]["params"];
      return this.noted(
        other,
        await other.request("load_session", { sessionId, ...options }),
      ) as Operations[O]["result"];
    }
  };

  async subscribe(...[sessionId, listener, options]: Parameters<Client["subscribe"]>): Promise<Subscription> {
    const client = await this.clientFor({ sessionId });
    try {
      return await client.subscribe(sessionId, listener, options);
    } catch (thrown) {
      const [other] = (await this.holderOf(thrown)) ?? [];
      if (!other) throw thrown;
      this.routes.set(sessionId, other);
      return other.subscribe(sessionId, listener, options);
    }
  }

  async watchSessions(...given: Parameters<Client["watchSessions"]>): Promise<() => Promise<void>> {
    return (await this.athome()).watchSessions(...given);
  }

  async drained(sessionId: string): Promise<void> {
    return (await this.clientFor({ sessionId })).drained(sessionId);
  }

  async close(): Promise<void> {
    const own = [...this.routes].flatMap(([sessionId, client]) => (client === this.own ? sessionId : []));
    await this.leave(own);
    const opened = [this.home, ...this.others.values()];
    const all = await Promise.allSettled(opened);
    const clients = new Set([this.own, ...all.flatMap((each) => (each.status === "fulfilled" && each.value) || [])]);
    await Promise.all([...clients].map((client) => client.close()));
  }

  /** Commands in a session of a host elsewhere get the variables of this process, as they would here. */
  private withEnvironment<P>(operation: Operation, params: P): P {
    if (!OPENING.includes(operation)) return params;
    return { environment: environmentTexts(this.ctx.launch.env), ...params };
  }

  private async clientFor({ sessionId }: { sessionId?: string }): Promise<Client> {
    const known = sessionId === undefined ? undefined : this.routes.get(sessionId);
    return known ?? this.athome();
  }

  /** Remembers who has the session that an answer is about. */
  private noted<R>(client: Client, result: R): R {
    const { sessionId } = (result ?? {}) as { sessionId?: unknown };
    if (typeof sessionId === "string") this.routes.set(sessionId, client);
    return result;
  }

  private athome(): Promise<Client> {
    this.home ??= this.daemon().then((daemon) => daemon ?? this.own);
    return this.home;
  }

  /** The daemon, if it can stand in for this process: it has the same version and preset. */
  private async daemon(): Promise<Client | undefined> {
    const found = findDaemon();
    if (!found?.state || found.pid === process.pid) return undefined;
    const { version, preset, addresses } = found.state;
    const { launch } = this.ctx;
    const address = addresses.find(({ transport }) => transport === "socket")?.address;
    if (address === undefined || preset !== (launch.preset ?? "coding")) return undefined;
    if (version !== launch.version) {
      const how = "`scorel host serve --replace` starts this version";
      launch.stderr.write(
        `scorel: the running host is version ${version}, this is ${launch.version}: not using it (${how})\n`,
      );
      return undefined;
    }
    try {
      return await dialHost(this.ctx, address);
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
      other = dialHost(this.ctx, socket, { reconnect: false });
      this.others.set(socket, other);
    }
    // A process of an earlier version has no socket, and one that is ending has it no more: the session stays locked.
    return other.then(
      (client) => [client, sessionId],
      () => {
        this.others.delete(socket);
        return undefined;
      },
    );
  }

  /** Waits until no turn runs any more in sessions that other processes have joined, unless the user interrupts. */
  private async leave(sessionIds: readonly string[]): Promise<void> {
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
