import type { ConnectedClient, GatewayService } from "@scorel/gateway/contract";
import { clientName } from "@scorel/host/client";
import type { Client, HostService } from "@scorel/host/contract";
import type { Grant } from "@scorel/web-server/contract";

/** Milliseconds after its last request for which the sessions of a client stay open. */
const IDLE_MS = 60_000;

interface Entry {
  client: Client;
  /** The number of requests that are being answered, including event streams. */
  active: number;
  leaving: NodeJS.Timeout | undefined;
  about: ConnectedClient;
  /** Removes the client from those that others see. */
  gone(): void;
}

/** The host's clients for HTTP requests. All requests with the same token belong to one client, so that its sessions stay open in between. */
export class Clients {
  private readonly host: HostService;
  private readonly gateway: Pick<GatewayService, "announce">;
  private readonly logger: { warn(message: string, thrown?: unknown): void };
  private readonly entries = new Map<string, Entry>();

  constructor(host: HostService, gateway: Pick<GatewayService, "announce">, logger: Clients["logger"]) {
    this.host = host;
    this.gateway = gateway;
    this.logger = logger;
  }

  /** Calls `use` with the client of a token. */
  async with<R>(grant: Grant, use: (client: Client) => Promise<R>): Promise<R> {
    const entry = this.entries.get(grant.identity) ?? this.enter(grant);
    entry.active++;
    entry.about.connected = true;
    clearTimeout(entry.leaving);
    try {
      return await use(entry.client);
    } finally {
      entry.active--;
      if (entry.active === 0) {
        entry.about.connected = false;
        entry.leaving = setTimeout(() => void this.leave(grant.identity), IDLE_MS);
        entry.leaving.unref();
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.entries.keys()].map((identity) => this.leave(identity)));
  }

  private enter({ identity, name, scope, scopes, revoked }: Grant): Entry {
    const client = this.host.connect({ scope, name });
    const { clientId } = client;
    const about = {
      ...{ clientId, transport: "http", name: clientName(clientId) ?? name, connected: true, since: Date.now() },
      ...(scope !== undefined && { scopes }),
    };
    const removed = this.gateway.announce(about);
    const ended = () => void this.leave(identity);
    revoked.addEventListener("abort", ended, { once: true });
    // A token lasts for many clients, one after each idle time.
    const gone = () => {
      revoked.removeEventListener("abort", ended);
      removed();
    };
    const entry: Entry = { client, active: 0, leaving: undefined, about, gone };
    this.entries.set(identity, entry);
    return entry;
  }

  /** Closes a client. Does not reject, since nobody waits for the end of most clients. */
  private async leave(identity: string): Promise<void> {
    const entry = this.entries.get(identity);
    this.entries.delete(identity);
    clearTimeout(entry?.leaving);
    entry?.gone();
    try {
      await entry?.client.close();
    } catch (thrown) {
      this.logger.warn("A session could not be closed", thrown);
    }
  }
}
