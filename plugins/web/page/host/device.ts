import "./contracts.ts";
import { type CacheOptions, connectHost, dialWebSocket, type LinkState, type RemoteClient } from "@scorel/host/client";
import { Store } from "../store.ts";
import { Kept } from "./kept.ts";
import { KeptLists } from "./kept-lists.ts";
import { ALL, type PageRights, pageRights } from "./rights.ts";
import { SessionList } from "./session-list.ts";

declare const SCOREL_VERSION: string;

/** The host that this page belongs to, and what is known of it, also while it cannot be reached. */
export class Device {
  readonly client: RemoteClient;
  readonly link: Store<LinkState>;
  /** Since when the host cannot be reached, in milliseconds since 1970. */
  readonly awaySince = new Store<number | undefined>(undefined);
  /** Whether somebody answers at the host's address who has not proved to be the host. */
  readonly isUnproven = new Store(false);
  readonly sessions: SessionList;
  /** What this page may do, as the host has said last. */
  readonly rights = new Store<PageRights>(ALL);
  readonly kept = new Kept();
  readonly cache: CacheOptions;

  private constructor(client: RemoteClient, address: string) {
    this.client = client;
    this.link = new Store(client.state);
    // The ids of sessions are unique at a host, and a directory that becomes a project changes that of its sessions.
    this.cache = { store: this.kept, device: address, project: "" };
    this.sessions = new SessionList(client, new KeptLists(this.kept, address), this.rights);
    client.onState((state) => this.take(state));
  }

  /** Waits for the host, and shows what it says then. */
  private async begin(): Promise<void> {
    await this.sessions.begin();
    await this.readRights().catch(() => {});
    this.sessions.isKnown.set(true);
  }

  /** Reads everything again after the connection was lost. */
  private async read(): Promise<void> {
    await this.sessions.read();
    // What it may do stays as it was known, if the connection is lost again meanwhile.
    await this.readRights().catch(() => {});
  }

  private async readRights(): Promise<void> {
    this.allow(await pageRights(this.client, this.sessions.isLimited));
  }

  /** Takes what the host says of the rights of this page. */
  allow(given: Partial<PageRights>): void {
    const known = this.rights.get();
    const rights = { ...known, ...given };
    const isSame = (["write", "answer", "manage"] as const).every((right) => rights[right] === known[right]);
    if (!isSame) this.rights.set(rights);
  }

  /** Connects to the host that the page came from, for as long as it takes. Resolves when what this browser has kept is there. */
  static async connect(token: string): Promise<Device> {
    const address = new URL(".", location.href.split(/[?#]/, 1)[0]).href;
    const client = await connectHost({
      dial: () => dialWebSocket(new URL("ws", address)),
      address: location.origin,
      name: "page",
      version: SCOREL_VERSION,
      token: () => token,
      patient: true,
    });
    const device = new Device(client, address);
    await device.sessions.restore();
    void device.begin();
    // A phone that wakes up, and a network that comes back, need not wait for the next attempt.
    addEventListener("online", () => client.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || client.hurry());
    return device;
  }

  /** When the host has said what this browser shows of a session; undefined when nothing of it was kept. */
  keptAt(sessionId: string): number | undefined {
    const { device, project } = this.cache;
    return this.kept.timeOf(JSON.stringify([device, project, sessionId]));
  }

  private take(state: LinkState): void {
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
