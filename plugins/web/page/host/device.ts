import "./contracts.ts";
import {
  type CacheOptions,
  type Channel,
  connectHost,
  dialWebSocket,
  type LinkState,
  type RemoteClient,
} from "@scorel/host/client";
import { Store } from "../store.ts";
import { SeenStore } from "../waiting/seen.ts";
import { Kept } from "./kept.ts";
import { KeptLists } from "./kept-lists.ts";
import { ALL, isSame, type PageRights, pageRights } from "./rights.ts";
import { SessionList } from "./session-list.ts";
import { TwoWays } from "./two-ways.ts";

declare const SCOREL_VERSION: string;

/** The host to which a page connects. */
interface Whereabouts {
  /** Its id in URLs of the page; empty for the host that has served the page. */
  id: string;
  address: string;
  /** Where this browser stores what the host says. */
  kept: Kept;
  /** How the host is reached through a relay. Default: directly, at its address. */
  through?: { relay: string; host: string; dial(): Promise<Channel> };
  /** The id of the same host behind a relay, if this browser is paired with it, as a second way to reach it. */
  ways?(): string | undefined;
  /** Its name for people. Undefined for the host that has served the page. */
  name?: string;
}

/** A host, and what is known about it, including while it cannot be reached. */
export class Device {
  readonly id: string;
  readonly address: string;
  /** Address of the relay through which it is reached. */
  readonly relay: string | undefined;
  /** Its id at the relay. */
  readonly host: string | undefined;
  readonly name: string | undefined;
  readonly client: RemoteClient;
  readonly link: Store<LinkState>;
  /** Since when the host cannot be reached, in milliseconds since 1970. */
  readonly awaySince = new Store<number | undefined>(undefined);
  /** Whether a program answers at the host's address that has not proved to be the host. */
  readonly isUnproven = new Store(false);
  readonly sessions: SessionList;
  /** The rights of this page, as last reported by the host. */
  readonly rights = new Store<PageRights>(ALL);
  readonly kept: Kept;
  /** Records which sessions of the device the user has seen in this browser. */
  readonly seen: SeenStore;
  readonly cache: CacheOptions;

  private readonly lists: KeptLists;
  /** Ends the listeners for events of the page. */
  private readonly listening = new AbortController();

  /** How many components show each session. A session that is left while its turn runs, and then opened again, is shown twice. */
  private readonly shown = new Map<string, number>();

  private constructor(client: RemoteClient, { id, address, kept, through, name }: Whereabouts) {
    this.id = id;
    this.relay = through?.relay;
    this.host = through?.host;
    this.name = name;
    this.address = address;
    this.kept = kept;
    this.seen = new SeenStore(this.place);
    this.client = client;
    this.link = new Store(client.state);
    // No project, since ids of sessions are unique at a host, while the project of a session can change.
    this.cache = { store: this.kept, device: address, project: "" };
    this.lists = new KeptLists(this.kept, address);
    this.sessions = new SessionList(client, this.lists, this.rights);
    client.onState((state) => this.take(state));
  }

  /** Whether the host knows this browser by its paired keys, and not by a token. */
  get isPaired(): boolean {
    return this.host !== undefined;
  }

  /** Waits for the host, and shows its answers. */
  private async begin(): Promise<void> {
    await this.sessions.begin();
    await this.readRights().catch(() => {});
    this.sessions.isKnown.set(true);
  }

  /** Reads everything again after the connection was lost. */
  private async read(): Promise<void> {
    await this.sessions.read();
    // If the connection is lost again, the known rights stay.
    await this.readRights().catch(() => {});
  }

  private async readRights(): Promise<void> {
    this.allow(await pageRights(this.client, this.sessions.isLimited));
  }

  /** Applies what the host says about the rights of this page. */
  allow(given: Partial<PageRights>): void {
    const known = this.rights.get();
    const rights = { ...known, ...given };
    if (!isSame(rights, known)) this.rights.set(rights);
  }

  /**
   * Connects to a host, by default the one that has served the page, and goes on trying. Resolves as soon as what this browser has stored
   * is loaded.
   */
  static async connect(token: string | undefined, where: Whereabouts = home()): Promise<Device> {
    const { address, through } = where;
    const direct = () => dialWebSocket(new URL("ws", address));
    const ways = where.ways && token !== undefined ? twoWays(token, direct, where.ways) : undefined;
    const client = await connectHost({
      dial: through?.dial ?? ways?.dial ?? direct,
      address: through?.relay ?? new URL(address).origin,
      name: "page",
      version: SCOREL_VERSION,
      token: ways?.token ?? (() => token),
      patient: true,
    });
    if (ways) client.onState(({ state }) => state === "live" && ways.connected());
    const device = new Device(client, where);
    await device.sessions.restore();
    void device.begin();
    // When a phone wakes up or the network is back, the next attempt starts at once.
    const { signal } = device.listening;
    addEventListener("online", () => client.hurry(), { signal });
    document.addEventListener("visibilitychange", () => document.hidden || client.hurry(), { signal });
    return device;
  }

  /** Counts that one more component shows a session. */
  retain(sessionId: string): void {
    this.shown.set(sessionId, (this.shown.get(sessionId) ?? 0) + 1);
  }

  /** Counts that one component less shows a session. Returns whether it is no longer shown. */
  release(sessionId: string): boolean {
    const left = (this.shown.get(sessionId) ?? 1) - 1;
    if (left > 0) this.shown.set(sessionId, left);
    else this.shown.delete(sessionId);
    return left <= 0;
  }

  /** Key for data of this device in storage that all devices share, since their sessions may have the same ids. */
  keyOf(name: string): string {
    return this.place === "" ? name : `${this.place}:${name}`;
  }

  /**
   * Its name in keys of storage that all devices share. Empty for the host that has served the page. A page that no host has served shows
   * the first of its hosts as its own, which may be another one at the next load, so the id at the relay tells them apart.
   */
  private get place(): string {
    return this.id === "" ? (this.host ?? "") : this.id;
  }

  /** When the host sent what this browser has stored of a session, in milliseconds since 1970; undefined if nothing was stored. */
  keptAt(sessionId: string): number | undefined {
    const { device, project } = this.cache;
    return this.kept.timeOf(JSON.stringify([device, project, sessionId]));
  }

  /**
   * Ends what this device does in the page. What the browser has stored of it is deleted when the user removes the host, and partly when
   * the host refuses this page. No later write may restore it.
   */
  private end(): void {
    this.lists.end();
    this.seen.end();
    this.listening.abort();
  }

  private take(state: LinkState): void {
    if (state.state === "closed") this.end();
    this.link.set(state);
    if (state.state === "live") {
      this.awaySince.set(undefined);
      this.isUnproven.set(false);
      if (this.sessions.hasBegun) void this.read();
    } else if (state.state === "waiting") {
      this.awaySince.set(this.awaySince.get() ?? Date.now());
      this.isUnproven.set(state.unproven === true);
    }
  }
}

function twoWays(token: string, direct: () => Promise<Channel>, host: () => string | undefined): TwoWays {
  const relayed = () => {
    const id = host();
    return id === undefined ? undefined : async () => (await import("../relay/relay.ts")).dialRelayed(id);
  };
  return new TwoWays({ token, direct, relayed });
}

/** The host that has served the page. */
function home(): Whereabouts {
  return { id: "", address: new URL(".", location.href.split(/[?#]/, 1)[0]).href, kept: new Kept() };
}
