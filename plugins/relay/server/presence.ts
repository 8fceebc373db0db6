import type { Peer } from "./peer.ts";

/** Who is told when a host comes and goes. */
export class Presence {
  readonly #watchers = new Map<string, Set<Peer>>();

  /** From now on, a client is told of a host, because of a grant with this serial number. */
  watch(client: Peer, host: string, serial: bigint): void {
    client.watched.set(host, { serial });
    const watchers = this.#watchers.get(host) ?? new Set();
    this.#watchers.set(host, watchers.add(client));
  }

  /** The client has left. */
  forget(client: Peer): void {
    for (const host of client.watched.keys()) this.#unwatch(client, host);
  }

  /** The grants of a host for this client, up to this serial number, count no more. */
  revoke(host: string, client: string, serial: bigint): void {
    for (const watcher of this.of(host)) {
      const watched = watcher.watched.get(host);
      if (watcher.id === client && watched && watched.serial <= serial) this.#unwatch(watcher, host);
    }
  }

  /** Those who are told of a host. */
  of(host: string): Peer[] {
    return [...(this.#watchers.get(host) ?? [])];
  }

  #unwatch(client: Peer, host: string): void {
    client.watched.delete(host);
    const watchers = this.#watchers.get(host);
    watchers?.delete(client);
    if (watchers?.size === 0) this.#watchers.delete(host);
  }
}
