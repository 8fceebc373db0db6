import type { RemoteClient } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { type Holder, holderOf, isHeld } from "@scorel/kit/files/lock";
import { ownIdentity } from "@scorel/kit/process/identity";
import type { DaemonContext } from "./context.ts";
import { dialHost } from "./dial.ts";
import { removeLeftSockets } from "./left-sockets.ts";
import { socketOf } from "./run-folder.ts";

/** Finds other processes of this user that have sessions open, and connects to them. */
export class Holders {
  private readonly ctx: DaemonContext;
  private readonly name: string;
  private readonly ended: (client: Client, reason: string) => void;
  /** Clients of other processes, by the path of their socket. */
  private readonly clients = new Map<string, Promise<RemoteClient>>();
  private readonly all = new WeakSet<Client>();

  /** `name` is the client's name in the other processes; `ended` is called when the connection to one of them has ended. */
  constructor(ctx: DaemonContext, name: string, ended: (client: Client, reason: string) => void) {
    this.ctx = ctx;
    this.name = name;
    this.ended = ended;
  }

  /** The other process that has a session open for writing; undefined for none. */
  of(sessionId: string): Holder | undefined {
    const path = this.ctx.find("sessionLogs")?.lockFile(sessionId);
    return path === undefined ? undefined : this.at(path);
  }

  /** The other process that holds a lock file; undefined for none. */
  at(path: string): Holder | undefined {
    const holder = holderOf(path);
    return holder && isHeld(path, holder) && holder.pid !== ownIdentity().pid ? holder : undefined;
  }

  /** Whether a client belongs to one of these processes. They are never restarted, so their sessions move elsewhere when they end. */
  has(client: Client): boolean {
    return this.all.has(client);
  }

  /** Connects to another process. Undefined if it has no socket: it has an earlier version, or is starting or ending. */
  async reach(holder: Holder): Promise<RemoteClient | undefined> {
    const socket = socketOf(holder);
    const known = this.clients.get(socket);
    if (known) return known.catch(() => undefined);
    removeLeftSockets((thrown) => this.ctx.logger.warn("Sockets of ended processes stay", thrown));
    const dialing = dialHost(this.ctx, socket, { name: this.name, reconnect: false });
    this.clients.set(socket, dialing);
    try {
      const client = await dialing;
      this.all.add(client);
      client.onState((state) => {
        if (state.state !== "closed") return;
        this.clients.delete(socket);
        this.ended(client, state.error?.message ?? "the process ended");
      });
      return client;
    } catch {
      this.clients.delete(socket);
      return undefined;
    }
  }

  async close(): Promise<void> {
    const reached = await Promise.allSettled(this.clients.values());
    await Promise.all(reached.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)));
  }
}

/** Whether any process of this home, including this one, has a session open. */
export function isOpenAnywhere(ctx: DaemonContext, sessionId: string): boolean {
  const path = ctx.find("sessionLogs")?.lockFile(sessionId);
  const holder = path === undefined ? undefined : holderOf(path);
  return path !== undefined && holder !== undefined && isHeld(path, holder);
}
