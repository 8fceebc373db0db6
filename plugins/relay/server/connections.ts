import type { Server } from "node:http";
import type { Socket } from "node:net";
import { addressKey, type RelayLimits } from "./limits.ts";
import { Tally } from "./tally.ts";

/** Milliseconds that connections have to close before they are destroyed. */
const CLOSE_MS = 2_000;

interface Waiting {
  socket: Socket;
  address: string;
}

/**
 * The TCP connections of a relay. Those that are not WebSockets of peers yet are limited in number, since anyone can open them; if there are
 * too many, the oldest is destroyed for the new one. The server limits their time.
 */
export class Connections {
  private readonly server: Server;
  private readonly limits: Pick<RelayLimits, "strangers" | "socketsOfAddress">;
  private readonly isByAddress: boolean;
  private readonly open = new Set<Socket>();
  /** The oldest first. The key is made from both addresses, which a TLS socket shares with the socket below it. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly ofAddress = new Tally();

  /** Behind a proxy, all connections come from its address, so they are limited only in total. */
  constructor(
    server: Server,
    { limits, behindProxy, isTls }: { limits: RelayLimits; behindProxy: boolean; isTls: boolean },
  ) {
    this.server = server;
    this.limits = limits;
    this.isByAddress = !behindProxy;
    server.on("connection", (socket: Socket) => this.enter(socket));
    if (isTls) server.on("secureConnection", (socket: Socket) => this.follow(socket));
  }

  /** Stops limiting a connection that has become a WebSocket: from now on, the relay limits its peer. */
  settle(socket: Socket): void {
    this.forget(keyOf(socket));
  }

  /** Accepts no more connections, and resolves when all are closed. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const { socket } of [...this.waiting.values()]) socket.destroySoon();
    const limit = setTimeout(() => {
      for (const socket of this.open) socket.destroy();
    }, CLOSE_MS);
    await closed;
    clearTimeout(limit);
  }

  private enter(socket: Socket): void {
    this.follow(socket);
    const key = keyOf(socket);
    const address = addressKey(socket.remoteAddress ?? "");
    if (this.isByAddress && this.ofAddress.of(address) >= this.limits.socketsOfAddress)
      this.evict((waiting) => waiting.address === address);
    if (this.waiting.size >= this.limits.strangers) this.evict(() => true);
    const waiting = { socket, address };
    this.waiting.set(key, waiting);
    this.ofAddress.add(address);
    socket.once("close", () => {
      if (this.waiting.get(key) === waiting) this.forget(key);
    });
  }

  /** Without its own listener, an error on a connection that has been upgraded would end the process. */
  private follow(socket: Socket): void {
    this.open.add(socket);
    socket.once("close", () => this.open.delete(socket));
    socket.on("error", () => socket.destroy());
  }

  private evict(isMeant: (waiting: Waiting) => boolean): void {
    for (const [key, waiting] of this.waiting) {
      if (!isMeant(waiting)) continue;
      this.forget(key);
      return void waiting.socket.destroy();
    }
  }

  private forget(key: string): void {
    const waiting = this.waiting.get(key);
    if (!waiting) return;
    this.waiting.delete(key);
    this.ofAddress.remove(waiting.address);
  }
}

function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
