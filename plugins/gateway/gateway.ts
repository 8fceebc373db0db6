import type { Channel, ClientMessage, Hello } from "@scorel/host/client";
import { clientName } from "@scorel/host/client";
import type { HostService } from "@scorel/host/contract";
import { newId } from "@scorel/kernel";
import type { AcceptOptions, Admission, ConnectedClient, GatewayService } from "./contract.ts";
import { errors } from "./errors.ts";
import { Guest } from "./guest.ts";
import { readMessage } from "./messages.ts";
import {
  type ConnectionUser,
  closing,
  endWith,
  PROTOCOL,
  Reception,
  type ReceptionOptions,
  send,
} from "./reception.ts";

/** The most bytes of a client's message, unless its transport has a lower limit. */
const MAX_MESSAGE = 64 * 1024 * 1024;
/** Milliseconds for a client to receive the last events before the host stops. */
const FLUSH_MS = 500;

export interface GatewayOptions {
  host: HostService;
  version: string;
  logger: ReceptionOptions["logger"];
  /** Limits that differ from the default ones, for tests. */
  limits?: Partial<GatewayLimits> | undefined;
}

export interface GatewayLimits {
  /** Milliseconds for a client to send its first message, which introduces it. */
  helloMs: number;
  /** Milliseconds for a client to reconnect after its connection was lost. */
  returnMs: number;
  /** Milliseconds of silence after which a connection counts as dead. Clients ping more often: in a hidden browser tab, once a minute. */
  silentMs: number;
  clients: number;
  /** The number of these places that only clients without a scope get, so that others cannot lock the owner out. */
  reserved: number;
  /** The most connections whose clients are not admitted yet. */
  strangers: number;
}

const LIMITS: GatewayLimits = {
  helloMs: 5_000,
  returnMs: 60_000,
  silentMs: 150_000,
  clients: 256,
  reserved: 64,
  strangers: 1_280,
};

interface Entry {
  guest: Guest;
  about: ConnectedClient;
  /** The client's identity and scope, as JSON. */
  rights: string;
  /** Whether the client has a scope. */
  isLimited: boolean;
  /** The present connection. */
  channel: Channel | undefined;
  /** When the client has sent something last, and when its connection was lost, by a monotonic clock. */
  heardAt: number;
  lostAt: number;
  /** Ends a silent connection, or the wait for a client to reconnect. */
  timer: NodeJS.Timeout | undefined;
}

/** Serves clients over the connections of transports, and keeps them for a while after a lost connection. */
export class Gateway implements Omit<GatewayService, "announce"> {
  private readonly options: GatewayOptions;
  private readonly limits: GatewayLimits;
  private readonly instance = newId();
  private readonly entries = new Map<string, Entry>();
  private readonly reception: Reception;

  constructor(options: GatewayOptions) {
    this.options = options;
    this.limits = { ...LIMITS, ...options.limits };
    const { version, logger } = options;
    const { helloMs, strangers } = this.limits;
    const enter = this.enter.bind(this);
    this.reception = new Reception({ version, logger, helloMs, strangers, enter });
  }

  clients(): ConnectedClient[] {
    return [...this.entries.values()].map(({ about }) => ({ ...about }));
  }

  accept(channel: Channel, options: AcceptOptions): void {
    this.reception.accept(channel, options);
  }

  async flush(): Promise<void> {
    await Promise.all([...this.entries.values()].map(({ guest }) => guest.flush(FLUSH_MS)));
  }

  async dismiss(reason: string, retry: boolean): Promise<void> {
    const message = closing(errors.GATEWAY_ENDED({ reason }), retry);
    this.reception.close(message);
    const all = [...this.entries.values()];
    this.entries.clear();
    for (const entry of all) {
      const { channel, timer } = entry;
      clearTimeout(timer);
      entry.channel = undefined;
      if (channel) endWith(channel, message);
    }
    await Promise.allSettled(all.map(({ guest }) => guest.leave()));
  }

  /** Admits a client, or lets a client resume that has lost its connection. */
  private enter(hello: Hello, admission: Admission, channel: Channel, options: AcceptOptions): ConnectionUser {
    const known = this.returning(hello, options, admission);
    const entry = known ?? this.create(hello, options, admission);
    const { channel: former, guest, about } = entry;
    entry.channel = channel;
    // A client can reconnect before its old connection is known to be dead.
    if (former) {
      former.close();
      guest.part().catch((thrown) => this.failed(thrown));
    }
    about.connected = true;
    entry.heardAt = performance.now();
    this.watch(entry, channel);
    send(channel, {
      type: "welcome",
      protocol: PROTOCOL,
      version: this.options.version,
      instance: this.instance,
      clientId: about.clientId,
      secret: guest.secret,
      resumed: known !== undefined,
      maxMessage: Math.min(channel.maxMessage ?? MAX_MESSAGE, MAX_MESSAGE),
    });
    guest.join(channel);
    return { message: (text) => this.take(entry, channel, text), closed: () => this.lost(entry, channel) };
  }

  /** The client that resumes with a hello; undefined for a new client, and for one whose rights have changed. */
  private returning({ resume }: Hello, { transport }: AcceptOptions, admission: Admission): Entry | undefined {
    const entry = resume && this.entries.get(resume.clientId);
    if (entry?.about.transport !== transport || !entry.guest.isSecret(resume?.secret ?? "")) return undefined;
    if (entry.rights === rightsOf(admission)) return entry;
    this.leave(entry);
    return undefined;
  }

  private create(hello: Hello, { transport }: AcceptOptions, admission: Admission): Entry {
    const { version } = hello;
    const { scopes, name = hello.name } = admission;
    const isLimited = admission.scope !== undefined;
    this.makeRoom(isLimited);
    // A scope, even the empty one without limits, tells the service `host` that another client is connected, which needs this very host.
    const isHere = () => entry.channel !== undefined;
    const guest = new Guest(
      this.options.host.connect({ scope: admission.scope ?? {}, name: name ?? transport, isHere }),
    );
    const { clientId } = guest.client;
    const about = {
      clientId,
      transport,
      // With the number that the host adds to equal names.
      ...(name !== undefined && { name: clientName(clientId) ?? name }),
      version,
      ...(scopes && { scopes }),
      connected: true,
      since: Date.now(),
    };
    const entry: Entry = {
      ...{ guest, about, rights: rightsOf(admission), isLimited, channel: undefined },
      ...{ heardAt: 0, lostAt: 0, timer: undefined },
    };
    this.entries.set(clientId, entry);
    return entry;
  }

  /** Makes room for another client; `isLimited` says that it has a scope. Throws GATEWAY_FULL. */
  private makeRoom(isLimited: boolean): void {
    const { clients, reserved } = this.limits;
    const max = isLimited ? clients - reserved : clients;
    const count = () => this.rivals(isLimited).length;
    if (count() >= max) this.forgetOne(isLimited);
    if (count() >= max) throw errors.GATEWAY_FULL({ max });
  }

  /** The clients that compete with a new one for room: for a client with a scope, only those with a scope. */
  private rivals(isLimited: boolean): Entry[] {
    const all = [...this.entries.values()];
    return isLimited ? all.filter((entry) => entry.isLimited) : all;
  }

  /** Stops waiting for the client that has been away longest; for one without a scope only if there is no other. */
  private forgetOne(isLimited: boolean): void {
    const away = this.rivals(isLimited).filter(({ channel }) => !channel);
    const [longest] = away.sort((a, b) => Number(b.isLimited) - Number(a.isLimited) || a.lostAt - b.lostAt);
    if (longest) this.leave(longest);
  }

  private take(entry: Entry, channel: Channel, text: string): void {
    if (entry.channel !== channel) return;
    entry.heardAt = performance.now();
    try {
      if (text.length > MAX_MESSAGE) throw errors.GATEWAY_MESSAGE({ problems: `it has ${text.length} characters` });
      this.handle(entry, channel, readMessage(text), text.length);
    } catch (thrown) {
      send(channel, closing(thrown, false));
      this.leave(entry);
    }
  }

  private handle(entry: Entry, channel: Channel, message: ClientMessage, characters: number): void {
    if (message.type === "ping") {
      entry.guest.arrived(message.answered);
      send(channel, { type: "pong" });
    } else if (message.type === "processed") entry.guest.took(message.characters);
    else if (message.type === "leave") this.leave(entry);
    else if (message.type === "hello" || message.type === "prove")
      throw errors.GATEWAY_MESSAGE({ problems: `"${message.type}" can only come first` });
    else entry.guest.ask(message, characters);
  }

  /** Closes a connection that has become silent, such as that of a computer that was unplugged. */
  private watch(entry: Entry, channel: Channel): void {
    clearTimeout(entry.timer);
    const left = entry.heardAt + this.limits.silentMs - performance.now();
    const received = channel.received ?? 0;
    entry.timer = setTimeout(() => {
      // A large message that is still arriving.
      if ((channel.received ?? 0) > received) entry.heardAt = performance.now();
      if (performance.now() - entry.heardAt < this.limits.silentMs) return this.watch(entry, channel);
      channel.close();
      this.lost(entry, channel);
    }, left);
    entry.timer.unref();
  }

  /** Called when a connection is lost: the client has some time to reconnect. */
  private lost(entry: Entry, channel: Channel): void {
    if (entry.channel !== channel) return;
    entry.channel = undefined;
    entry.about.connected = false;
    entry.lostAt = performance.now();
    entry.guest.part().catch((thrown) => this.failed(thrown));
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => this.leave(entry), this.limits.returnMs);
    entry.timer.unref();
  }

  private leave(entry: Entry): void {
    clearTimeout(entry.timer);
    if (!this.entries.delete(entry.about.clientId)) return;
    const { channel } = entry;
    entry.channel = undefined;
    channel?.close();
    entry.guest.leave().catch((thrown) => this.failed(thrown));
  }

  private failed(thrown: unknown): void {
    this.options.logger.warn("A session could not be closed", thrown);
  }
}

function rightsOf({ identity = "", scope = {} }: Admission): string {
  return JSON.stringify([identity, scope]);
}
