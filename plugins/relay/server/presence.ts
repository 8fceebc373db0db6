import { base64url } from "../protocol/bytes.ts";
import { presencePayload } from "../protocol/payloads.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { BusNode } from "./bus/node.ts";
import type { Peer } from "./peer.ts";

interface Watched {
  idBytes: Bytes;
  /** The clients that watch the host, with what each was told last. */
  watchers: Map<Peer, boolean | undefined>;
  /** Other relays to which the host is connected. */
  elsewhere: Set<string>;
  /** Resolves when other relays have been asked for the host. */
  isKnown: Promise<void>;
  unsubscribe(): void;
}

/** Tells clients when hosts that they watch connect and disconnect. */
export class Presence {
  private readonly hosts = new Map<string, Watched>();
  private readonly isHere: (host: string) => boolean;
  private readonly node: () => BusNode;

  constructor(isHere: (host: string) => boolean, node: () => BusNode) {
    this.isHere = isHere;
    this.node = node;
  }

  /** Starts to tell a client about a host. The grant with this serial number allows it. */
  async watch(client: Peer, idBytes: Bytes, serial: bigint): Promise<void> {
    const host = base64url(idBytes);
    client.watched.set(host, { serial });
    const watched = this.hosts.get(host) ?? this.begin(host, idBytes);
    watched.watchers.set(client, undefined);
    await watched.isKnown;
    this.update(host);
  }

  /** Removes a client that has left. */
  forget(client: Peer): void {
    for (const host of client.watched.keys()) this.unwatch(client, host);
  }

  /** Removes a client whose grants from this host, up to this serial number, are revoked. */
  revoke(host: string, client: string, serial: bigint): void {
    for (const watcher of [...(this.hosts.get(host)?.watchers.keys() ?? [])]) {
      const watched = watcher.watched.get(host);
      if (watcher.id === client && watched && watched.serial <= serial) this.unwatch(watcher, host);
    }
  }

  /** Removes all watchers of a host, which the owner of the relay has blocked. */
  block(host: string): void {
    for (const watcher of [...(this.hosts.get(host)?.watchers.keys() ?? [])]) this.unwatch(watcher, host);
  }

  /** Tells watchers whether the host is connected, unless they know already. */
  update(host: string): void {
    const watched = this.hosts.get(host);
    if (!watched) return;
    const isThere = watched.elsewhere.size > 0 || this.isHere(host);
    for (const [watcher, told] of watched.watchers) {
      if (told === isThere) continue;
      watched.watchers.set(watcher, isThere);
      watcher.send("presence", 0n, presencePayload(watched.idBytes, isThere));
    }
  }

  /** A host has connected to another relay, or has left it. Without `host`: the other relay is gone. */
  changedElsewhere(node: string, isThere: boolean, host?: string): void {
    for (const each of host === undefined ? [...this.hosts.keys()] : [host]) {
      const elsewhere = this.hosts.get(each)?.elsewhere;
      if (isThere) elsewhere?.add(node);
      else elsewhere?.delete(node);
      this.update(each);
    }
  }

  /** The bus was lost, so nothing is known about other relays; or it is connected again. */
  busChanged(isThere: boolean): void {
    for (const [host, watched] of this.hosts) {
      watched.elsewhere.clear();
      this.update(host);
      if (isThere) watched.isKnown = this.look(watched, host);
    }
  }

  private begin(host: string, idBytes: Bytes): Watched {
    const watched: Watched = {
      ...{ idBytes, watchers: new Map(), elsewhere: new Set() },
      ...{ isKnown: Promise.resolve(), unsubscribe: this.node().watch(idBytes) },
    };
    this.hosts.set(host, watched);
    watched.isKnown = this.look(watched, host);
    return watched;
  }

  /** Asks the other relays for a host that is not connected to this one. */
  private async look(watched: Watched, host: string): Promise<void> {
    if (this.isHere(host)) return;
    const node = await this.node().whereIs(watched.idBytes);
    if (node !== undefined) this.changedElsewhere(node, true, host);
  }

  private unwatch(client: Peer, host: string): void {
    client.watched.delete(host);
    const watched = this.hosts.get(host);
    watched?.watchers.delete(client);
    if (watched?.watchers.size !== 0) return;
    watched.unsubscribe();
    this.hosts.delete(host);
  }
}
