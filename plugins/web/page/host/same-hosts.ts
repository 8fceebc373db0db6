import type { RemoteClient } from "@scorel/host/client";
import type { Kept } from "./kept.ts";
import type { KnownDevice } from "./other.ts";

/**
 * Detects which hosts that are reached directly are also paired with this browser. They prove it with the keys from pairing, since names
 * and addresses prove nothing.
 */
export class SameHosts {
  private readonly known = new Map<string, string>();
  private readonly kept: Kept;

  constructor(kept: Kept) {
    this.kept = kept;
  }

  /** The id of the paired host that a direct device has proved to be; undefined if none is known. */
  hostAt(id: string): string | undefined {
    return this.known.get(id);
  }

  /** Loads what this browser has learned before, so that it is known even if a host cannot be reached directly now. */
  async restore(devices: readonly KnownDevice[]): Promise<void> {
    for (const { id, address, host } of devices) {
      if (host !== undefined || this.known.has(id)) continue;
      const found = await this.kept.read(keyOf(address)).catch(() => undefined);
      if (found !== undefined) this.known.set(id, found);
    }
  }

  /** Asks a connected host. Returns whether something new was learned. */
  async learn({ id, address }: KnownDevice, client: RemoteClient): Promise<boolean> {
    try {
      const { pairedHostAt } = await import("../relay/same-host.ts");
      const host = await pairedHostAt(client);
      if (host === this.known.get(id)) return false;
      if (host === undefined) this.known.delete(id);
      else this.known.set(id, host);
      const keeping = host === undefined ? this.kept.remove(keyOf(address)) : this.kept.write(keyOf(address), host);
      // If storing fails, the next load of the page asks again.
      await keeping.catch(() => {});
      return true;
    } catch {
      // A host of an earlier version, or one that does not tell this token, stays a separate entry.
      return false;
    }
  }
}

function keyOf(address: string): string {
  return JSON.stringify(["same host", address]);
}
