import "./contracts.ts";
import { connectHost, dialWebSocket, type LinkState, type RemoteClient } from "@scorel/host/client";
import { Store } from "../store.ts";
import { SessionList } from "./session-list.ts";

declare const SCOREL_VERSION: string;

/** A host that this page is connected to, and what is known of it. */
export class Device {
  readonly client: RemoteClient;
  readonly link: Store<LinkState>;
  readonly sessions: SessionList;

  private constructor(client: RemoteClient) {
    this.client = client;
    this.link = new Store(client.state);
    this.sessions = new SessionList(client);
    client.onState((state) => {
      this.link.set(state);
      if (state.state === "live") void this.sessions.read();
    });
  }

  /** Connects to the host that the page came from. Rejects when that fails the first time; later it connects again by itself. */
  static async connect(token: string): Promise<Device> {
    const address = new URL("ws", location.href.split(/[?#]/, 1)[0]).href;
    const client = await connectHost({
      dial: () => dialWebSocket(address),
      address: location.origin,
      name: "page",
      version: SCOREL_VERSION,
      token: () => token,
    });
    const device = new Device(client);
    await device.sessions.begin();
    // A phone that wakes up, and a network that comes back, need not wait for the next attempt.
    addEventListener("online", () => client.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || client.hurry());
    return device;
  }
}
