import type { RemoteClient } from "@scorel/host/client";
import type { Kept } from "./kept.ts";
import type { KnownDevice } from "./other.ts";

/** Which hosts that are reached directly have proved to be paired ones, by the keys that pairing has given. Names and addresses say nothing. */
export class SameHosts {
  private readonly known = new Map<string, string>();
  private readonly kept: Kept;

  constructor(kept: Kept) {
    this.kept = kept;
  }

  /** The id of the paired host, by that of the direct device. */
  hostAt(id: string): string | undefined {
    return this.known.get(id);
  }

  /** What this browser has learned before, also for a host that cannot be reached directly now. */
  async restore(devices: readonly KnownDevice[]): Promise<void> {
    for (const { id, address, host } of devices) {
      if (host !== undefined || this.known.has(id)) continue;
      const found = await this.kept.read(keyOf(address)).catch(() => undefined);
      if (found !== undefined) this.known.set(id, found);
    }
  }

  /** Asks a host that is connected. Returns whether something new was learned. */
  async learn({ id, address }: KnownDevice, client: RemoteClient): Promise<boolean> {
    try {
      const { pairedHostAt } = await import("../relay/same-host.ts");
      const host = await pairedHostAt(client);
      if (host === this.known.get(id)) return false;
      if (host === undefined) this.known.delete(id);
      else this.known.set(id, host);
      const keeping = host === undefined ? this.kept.remove(keyOf(address)) : this.kept.write(keyOf(address), host);
      // A browser that keeps nothing learns it again.
      await keeping.catch(() => {});
      return true;
    } catch {
      // A host of an earlier version, or one that does not tell it to this token, stays an entry of its own.
      return false;
    }
  }
}

function keyOf(address: string): string {
  return JSON.stringify(["same host", address]);
}
