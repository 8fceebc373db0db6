import type { Client, HostService } from "@scorel/host/contract";
import type { Grant } from "@scorel/web-server/contract";

/** Time after its last request for which the sessions of a client stay open. */
const IDLE_MS = 60_000;

interface Entry {
  client: Client;
  /** Requests that are being answered, streams of events included. */
  active: number;
  leaving: NodeJS.Timeout | undefined;
}

/** The clients of the host that send requests. All requests with one token are of one client, so that its sessions stay open between them. */
export class Clients {
  private readonly host: HostService;
  private readonly entries = new Map<string, Entry>();

  constructor(host: HostService) {
    this.host = host;
  }

  /** Calls `use` with the client of a token. */
  async with<R>(grant: Grant, use: (client: Client) => Promise<R>): Promise<R> {
    const entry = this.entries.get(grant.identity) ?? this.enter(grant);
    entry.active++;
    clearTimeout(entry.leaving);
    try {
      return await use(entry.client);
    } finally {
      entry.active--;
      if (entry.active === 0) {
        entry.leaving = setTimeout(() => void this.leave(grant.identity), IDLE_MS);
        entry.leaving.unref();
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.entries.keys()].map((identity) => this.leave(identity)));
  }

  private enter({ identity, scope, revoked }: Grant): Entry {
    const entry: Entry = { client: this.host.connect({ scope, name: "http" }), active: 0, leaving: undefined };
    this.entries.set(identity, entry);
    revoked.addEventListener("abort", () => void this.leave(identity), { once: true });
    return entry;
  }

  private async leave(identity: string): Promise<void> {
    const entry = this.entries.get(identity);
    this.entries.delete(identity);
    clearTimeout(entry?.leaving);
    await entry?.client.close();
  }
}
