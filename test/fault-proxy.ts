import { rmSync } from "node:fs";
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net";

/** The faults that a proxy adds to the connections through it. */
export interface Faults {
  /** Milliseconds of delay for all data, in each direction. */
  delayMs?: number;
  /** The number of bytes to write at a time. */
  pieces?: number;
  /**
   * The number of bytes that a connection carries, in both directions together, before the fault. `connection` counts
   * from 1.
   */
  after?(connection: number): number;
  /**
   * `reset` destroys both ends; `half` ends one direction; `silent` carries no more data, as when a cable is pulled.
   */
  fault?: "reset" | "half" | "silent";
}

interface Pair {
  near: Socket;
  far: Socket;
  left: number;
  isSilent: boolean;
}

/** A proxy for TCP or Unix socket connections that simulates faults of networks. */
export class FaultProxy implements AsyncDisposable {
  /** Number of connections that were made through it. */
  connections = 0;
  private faults: Faults;
  private target: NetConnectOpts;
  private readonly pairs = new Set<Pair>();
  private readonly server = createServer({ allowHalfOpen: true }, (near) => this.pass(near));
  private isRefusing = false;

  constructor(target: NetConnectOpts, faults: Faults = {}) {
    this.target = target;
    this.faults = faults;
  }

  /** Listens on a Unix socket at this path, or on a free port of this computer, which is returned. */
  async listen(path?: string): Promise<number> {
    await new Promise<void>((resolve) => {
      if (path === undefined) this.server.listen(0, "127.0.0.1", resolve);
      else this.server.listen(path, resolve);
    });
    const address = this.server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Sets the faults of later connections. */
  become(faults: Faults): void {
    this.faults = faults;
  }

  /** Cuts all connections, and forwards later ones to another target, without faults. */
  leadTo(target: NetConnectOpts): void {
    this.cut();
    this.target = target;
    this.faults = {};
    this.isRefusing = false;
  }

  /** Cuts all connections. */
  cut(): void {
    for (const { near, far } of this.pairs) {
      near.destroy();
      far.destroy();
    }
  }

  /** Carries no more data over the current connections, without closing them. */
  silence(): void {
    for (const pair of this.pairs) pair.isSilent = true;
  }

  /** Cuts all connections and closes new ones at once, until it is called with false. */
  refuse(isRefusing: boolean): void {
    this.isRefusing = isRefusing;
    if (isRefusing) this.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const address = this.server.address();
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
    if (typeof address === "string") rmSync(address, { force: true });
  }

  private pass(near: Socket): void {
    if (this.isRefusing) {
      near.destroy();
      return;
    }
    this.connections++;
    const after = this.faults.after?.(this.connections) ?? Number.POSITIVE_INFINITY;
    const far = connect({ ...this.target, allowHalfOpen: true } as NetConnectOpts);
    const pair: Pair = { near, far, left: after, isSilent: false };
    this.pairs.add(pair);
    this.pump(pair, near, far, this.faults);
    this.pump(pair, far, near, this.faults);
  }

  private pump(pair: Pair, from: Socket, to: Socket, { delayMs = 0, pieces, fault = "reset" }: Faults): void {
    let isDone = false;
    const later = (then: () => void) => (delayMs === 0 ? then() : void setTimeout(then, delayMs));
    from.on("data", (chunk: Buffer) => {
      if (pair.isSilent || isDone) return;
      const taken = chunk.subarray(0, Math.max(0, pair.left));
      pair.left -= chunk.length;
      const isOver = pair.left <= 0;
      later(() => {
        if (pair.isSilent || to.destroyed) return;
        for (let at = 0; at < taken.length; at += pieces ?? taken.length)
          to.write(taken.subarray(at, at + (pieces ?? taken.length)));
        if (to.writableLength > 1024 * 1024) {
          from.pause();
          to.once("drain", () => from.resume());
        }
      });
      if (!isOver) return;
      isDone = true;
      pair.left = Number.POSITIVE_INFINITY;
      if (fault === "silent") later(() => Object.assign(pair, { isSilent: true }));
      else if (fault === "half") later(() => to.end());
      else later(() => this.drop(pair));
    });
    from.on("end", () => later(() => !pair.isSilent && to.end()));
    from.on("error", () => this.drop(pair));
    from.on("close", () => {
      // A silent connection stays open at its other end, as if a cable were pulled.
      if (!pair.isSilent) later(() => to.destroy());
      if (pair.near.destroyed && pair.far.destroyed) this.pairs.delete(pair);
    });
  }

  private drop({ near, far }: Pair): void {
    near.destroy();
    far.destroy();
  }
}
