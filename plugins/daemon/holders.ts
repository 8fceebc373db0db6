import type { RemoteClient } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { type Holder, holderOf, isHeld } from "@scorel/kit/files/lock";
import { ownIdentity } from "@scorel/kit/process/identity";
import type { DaemonContext } from "./context.ts";
import { dialHost } from "./dial.ts";
import { removeLeftSockets } from "./left-sockets.ts";
import { socketOf } from "./run-folder.ts";

/** The other processes of this user that have sessions open, and the clients of those that were reached. */
export class Holders {
  private readonly ctx: DaemonContext;
  private readonly name: string;
  private readonly ended: (client: Client, reason: string) => void;
  /** By the paths of their sockets. */
  private readonly clients = new Map<string, Promise<RemoteClient>>();
  private readonly all = new WeakSet<Client>();

  /** `name` is what the other processes are told; `ended` is called when one of them has ended. */
  constructor(ctx: DaemonContext, name: string, ended: (client: Client, reason: string) => void) {
    this.ctx = ctx;
    this.name = name;
    this.ended = ended;
  }

  /** The other process that has a session open for writing, if one has. */
  of(sessionId: string): Holder | undefined {
    const path = this.ctx.find("sessionLogs")?.lockFile(sessionId);
    return path === undefined ? undefined : this.at(path);
  }

  /** The other process that holds a lock file. */
  at(path: string): Holder | undefined {
    const holder = holderOf(path);
    return holder && isHeld(path, holder) && holder.pid !== ownIdentity().pid ? holder : undefined;
  }

  /** Whether a client is one of these: its process does not come back, so its sessions go on elsewhere. */
  has(client: Client): boolean {
    return this.all.has(client);
  }

  /** The client of another process. Undefined for one that has no socket: it is of an earlier version, or starting or ending. */
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

/** Whether a process of this home, this one included, has a session open. */
export function isOpenAnywhere(ctx: DaemonContext, sessionId: string): boolean {
  const path = ctx.find("sessionLogs")?.lockFile(sessionId);
  const holder = path === undefined ? undefined : holderOf(path);
  return path !== undefined && holder !== undefined && isHeld(path, holder);
}
