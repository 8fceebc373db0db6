import type { PairedHost } from "@scorel/relay/browser";
import { Store } from "../store.ts";
import { waitingIn } from "../waiting/marks.ts";
import { forgetToken, keepToken } from "./access.ts";
import type { Device } from "./device.ts";
import { type DeviceKeeper, listOfHost } from "./device-lists.ts";
import { forgetLocalOf } from "./local.ts";
import { connectOther, forgetPairing, type KnownDevice, keptAs } from "./other.ts";
import { SameHosts } from "./same-hosts.ts";
import { oneEntryEach } from "./two-ways.ts";

/** Another host. It is connected if this tab has a token for it, or this browser is paired with it. */
export interface OtherDevice extends KnownDevice {
  /** The entry of the same host that is reached through a relay. */
  relayed?: KnownDevice | undefined;
  /** Set while a connection is being started. */
  isBeginning?: boolean;
  device?: Device | undefined;
  /** Why there is no longer a connection. */
  problem?: Error | undefined;
}

/** Error codes of hosts that refuse this page for good. */
const SHUT_OUT = ["WEB_TOKEN", "RELAY_NOT_PAIRED"];

/**
 * The page's own host (the one that has served it or, if none has, that this browser was paired with first) and the other hosts that its
 * user has added. The hosts do not affect each other.
 */
export class Devices {
  readonly own: Device;
  readonly others = new Store<readonly OtherDevice[]>([]);
  /** Whether the list of other hosts is known. */
  readonly isKnown = new Store(false);
  /** Number of sessions that wait for an answer, by the id of the device. */
  readonly waiting = new Store<ReadonlyMap<string, number>>(new Map());
  private readonly keeper: DeviceKeeper;
  private readonly key: string;
  private readonly connecting = new Set<string>();
  private readonly same: SameHosts;
  /** Number of times that the list was asked for, and which of these the shown list has answered. */
  private asked = 0;
  private answered = 0;
  /** Whether the page no longer shows these hosts. */
  private isOver = false;

  constructor(own: Device, keeper = listOfHost(own)) {
    this.own = own;
    this.keeper = keeper;
    this.same = new SameHosts(own.kept);
    this.key = JSON.stringify(["devices", own.address]);
  }

  /** Follows the list. Returns a function that ends this, and the connections to the other hosts. */
  begin(): () => void {
    this.isOver = false;
    const ends = [this.count(this.own), this.follow()];
    return () => {
      this.isOver = true;
      for (const end of ends) end();
      for (const { device } of this.others.get()) void device?.client.close();
    };
  }

  private follow(): () => void {
    if (this.keeper.isBrowser) {
      void this.read();
      return () => {};
    }
    void this.restore();
    const look = () => {
      if (this.own.link.get().state === "live") void this.read();
    };
    look();
    return this.own.link.subscribe(look);
  }

  find(id: string): OtherDevice | undefined {
    return this.others.get().find((each) => each.id === id || each.relayed?.id === id);
  }

  private isListed(id: string): boolean {
    return this.others.get().some((each) => each.id === id);
  }

  /** All connected hosts, the page's own first. */
  connected(): readonly Device[] {
    return [this.own, ...this.others.get().flatMap(({ device }) => device ?? [])];
  }

  /** How this page may add other hosts: in all ways, or only by pairing, if this browser has the list; undefined if it may not. */
  mayAdd(): "all" | "paired" | undefined {
    if (this.keeper.isBrowser) return "paired";
    return this.own.rights.get().manage ? "all" : undefined;
  }

  /** Allows the page to connect to relays. Returns whether it may do so at once, and not only after a reload. */
  async allowRelays(addresses: readonly string[]): Promise<boolean> {
    let isAtOnce = true;
    for (const address of addresses) isAtOnce = (await this.keeper.allow(address)) && isAtOnce;
    return isAtOnce;
  }

  /** Reads the list of devices. It is empty for a page that may not read it. */
  async read(): Promise<void> {
    this.asked++;
    const { asked } = this;
    try {
      const devices = await this.keeper.read();
      await this.same.restore(devices);
      // A list that was asked for later is already shown.
      if (asked < this.answered) return;
      this.answered = asked;
      this.take(devices);
      if (!this.keeper.isBrowser) this.keep(devices);
    } catch (thrown) {
      const { code = "" } = thrown as { code?: string };
      if (["HOST_FORBIDDEN", "HOST_OPERATION_UNKNOWN"].includes(code)) this.take([]);
      // Errors of the list are shown where it is used. Until then, the known list stays.
      this.isKnown.set(true);
    }
  }

  /** Adds a host. The page may connect to it after a reload. */
  async add(name: string, address: string, token: string): Promise<KnownDevice> {
    const device = await this.keeper.add({ name, address });
    keepToken(token, device.id);
    return device;
  }

  /** Adds a host that this browser has paired with. */
  async addPaired({ id: host, name, ...relays }: PairedHost): Promise<KnownDevice> {
    const { relaysOf } = await import("../relay/relay.ts");
    const [address = "", ...more] = relaysOf(relays);
    const device = await this.keeper.add({ name, address, host, more });
    // A connection from an earlier pairing, which the host may have revoked.
    await this.find(device.id)?.device?.client.close();
    await this.read();
    // The host may be one that is already connected directly.
    for (const each of this.others.get())
      if (each.device && each.host === undefined) void this.learn(each, each.device);
    return device;
  }

  async rename(id: string, name: string): Promise<void> {
    await this.keeper.rename(id, name);
    await this.read();
  }

  /** Removes a host, with its token or pairing, and what this browser has stored of it. */
  async remove(known: KnownDevice): Promise<void> {
    const { id } = known;
    const other = this.find(id)?.relayed;
    if (other && other.id !== id) await this.remove(other);
    await this.keeper.remove(id);
    const gone = this.find(id)?.device;
    forgetToken(id);
    await gone?.client.close();
    forgetLocalOf(id);
    await forgetPairing(known);
    await this.own.kept.forgetDevice(keptAs(known)).catch(() => {});
    await this.read();
  }

  /** Connects to a host with a token that the person has entered. */
  enter(id: string, token: string): void {
    keepToken(token, id);
    const known = this.find(id);
    if (known) void this.connect(known);
  }

  /** Connects to a host at once. Without a token or pairing, nothing happens. */
  hurry(id: string): void {
    const known = this.find(id);
    if (known?.device) known.device.client.hurry();
    else if (known) void this.connect(known);
  }

  private keep(devices: readonly KnownDevice[]): void {
    const { kept } = this.own;
    const keeping = devices.length > 0 ? kept.write(this.key, JSON.stringify(devices)) : kept.remove(this.key);
    // If storing fails, the next load of the page gets the list from the host again.
    keeping.catch(() => {});
  }

  /** Shows the list that this browser has stored, until the host answers. */
  private async restore(): Promise<void> {
    const text = await this.own.kept.read(this.key).catch(() => undefined);
    if (text === undefined || this.isKnown.get()) return;
    const devices = devicesIn(text);
    await this.same.restore(devices);
    this.take(devices);
  }

  private take(known: readonly KnownDevice[]): void {
    const before = new Map(this.others.get().map((each) => [each.id, each]));
    const entries = oneEntryEach(known, (id) => this.same.hostAt(id));
    this.others.set(
      entries.map(({ id, name, address, host, more, relayed }) => ({
        ...before.get(id),
        ...{ id, name, address, host, more, relayed },
      })),
    );
    // A device that has become a second way to another one needs no connection of its own.
    for (const { id, device } of before.values()) if (device && !this.isListed(id)) void device.client.close();
    this.isKnown.set(true);
    if (this.isOver) return;
    for (const each of this.others.get()) if (!each.device) void this.connect(each);
  }

  private async connect(known: KnownDevice): Promise<void> {
    const { id } = known;
    if (this.connecting.has(id)) return;
    this.connecting.add(id);
    this.set(id, { isBeginning: true });
    try {
      const device = await connectOther(known, this.own.kept, () => this.find(id)?.relayed);
      if (!device) return;
      if (!this.isListed(id) || this.isOver) {
        // While stored data was being read, the host was removed, has become the second way to another one, or is no longer shown.
        await device.client.close();
        return;
      }
      this.set(id, { device, problem: undefined });
      const endCount = this.count(device);
      const look = () => {
        const state = device.link.get();
        if (state.state === "closed") {
          endCount();
          this.end(id, state.error);
        }
        if (state.state === "live")
          void (known.host === undefined ? this.learn(known, device) : this.learnRelays(known));
      };
      device.link.subscribe(look);
      // It may have closed while stored data was being read.
      look();
    } catch (thrown) {
      this.end(id, thrown as Error);
    } finally {
      this.connecting.delete(id);
      this.set(id, { isBeginning: false });
    }
  }

  /** Asks a host that is reached directly whether it is one that this browser is paired with. */
  private async learn(known: KnownDevice, { client }: Device): Promise<void> {
    if (!(await this.same.learn(known, client))) return;
    const list = this.others.get();
    this.take(list.flatMap((each) => [each, ...(each.relayed ? [each.relayed] : [])]));
  }

  /** Allows the page to connect, after a reload, to relays that the host has named since it was paired. */
  private async learnRelays({ id, name, host, address, more = [] }: KnownDevice): Promise<void> {
    if (this.keeper.isBrowser || this.mayAdd() !== "all" || host === undefined) return;
    const { knownRelays } = await import("../relay/relay.ts");
    const [, ...others] = await knownRelays(host);
    if (others.length === 0 || others.join() === more.join()) return;
    const device = await this.keeper.add({ name, address, host, more: others });
    this.set(id, { more: device.more });
  }

  private end(id: string, problem: (Error & { code?: string }) | undefined): void {
    const known = this.find(id);
    // Without access, nobody should find the sessions in this browser.
    if (problem?.code === "WEB_TOKEN") forgetToken(id);
    if (known && SHUT_OUT.includes(problem?.code ?? "")) this.own.kept.forgetDevice(keptAs(known)).catch(() => {});
    this.set(id, { device: undefined, problem });
    this.waiting.set(new Map([...this.waiting.get()].filter(([each]) => each !== id)));
  }

  private set(id: string, change: Partial<OtherDevice>): void {
    this.others.set(this.others.get().map((each) => (each.id === id ? { ...each, ...change } : each)));
  }

  /** Counts the sessions of a device that wait. Returns a function that ends this. */
  private count({ id, sessions }: Device): () => void {
    const look = () =>
      this.waiting.set(new Map([...this.waiting.get(), [id, waitingIn(sessions.projects.get()).length]]));
    look();
    return sessions.projects.subscribe(look);
  }
}

/** Parses a stored list. Empty if the text is invalid. */
function devicesIn(text: string): KnownDevice[] {
  try {
    const found = JSON.parse(text) as KnownDevice[];
    const isDevice = ({ id, name, address, host = "" }: KnownDevice) =>
      [id, name, address, host].every((part) => typeof part === "string");
    return found.every(isDevice) ? found : [];
  } catch {
    return [];
  }
}
