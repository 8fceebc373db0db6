import type { Channel, ClientMessage, Hello, HostMessage } from "@scorel/host/client";
import type { HostService } from "@scorel/host/contract";
import { newId, ScorelError } from "@scorel/kernel";
import type { AcceptOptions, Admission, ConnectedClient, GatewayService } from "./contract.ts";
import { errors } from "./errors.ts";
import { Guest, wireError } from "./guest.ts";
import { readMessage } from "./messages.ts";

/** Version of the protocol; see `PROTOCOL` of the client. */
const PROTOCOL = 1;
/** Longest message before the client is let in, and after, in characters. */
const MAX_HELLO = 16 * 1024;
const MAX_MESSAGE = 64 * 1024 * 1024;

export interface GatewayOptions {
  host: HostService;
  version: string;
  logger: { info(message: string): void; warn(message: string, thrown?: unknown): void };
  /** Times in milliseconds and counts, for tests. */
  limits?: Partial<GatewayLimits> | undefined;
}

export interface GatewayLimits {
  /** Time for a client to say who it is. */
  helloMs: number;
  /** Time for a client to come back after its connection was lost. */
  returnMs: number;
  clients: number;
}

const LIMITS: GatewayLimits = { helloMs: 5_000, returnMs: 60_000, clients: 256 };

interface Entry {
  guest: Guest;
  about: ConnectedClient;
  /** The present connection. */
  channel: Channel | undefined;
  leaving: NodeJS.Timeout | undefined;
}

export class Gateway implements GatewayService {
  private readonly options: GatewayOptions;
  private readonly limits: GatewayLimits;
  private readonly instance = newId();
  private readonly entries = new Map<string, Entry>();
  private readonly strangers = new Set<Channel>();
  private dismissed = false;

  constructor(options: GatewayOptions) {
    this.options = options;
    this.limits = { ...LIMITS, ...options.limits };
  }

  clients(): ConnectedClient[] {
    return [...this.entries.values()].map(({ about }) => ({ ...about }));
  }

  accept(channel: Channel, options: AcceptOptions): void {
    let entry: Entry | undefined;
    const seconds = this.limits.helloMs / 1_000;
    const limit = setTimeout(() => this.turnAway(channel, errors.GATEWAY_HELLO({ seconds })), this.limits.helloMs);
    this.strangers.add(channel);
    /** Messages that arrive while the client is being let in. */
    let admitting: string[] | undefined;
    const take = (text: string) => {
      if (entry) return this.take(entry, channel, text);
      if (admitting) return void admitting.push(text);
      admitting = [];
      this.admit(channel, text, options).then(
        (admitted) => {
          clearTimeout(limit);
          if (!admitted) return;
          entry = admitted;
          for (const early of admitting ?? []) this.take(entry, channel, early);
        },
        (thrown) => {
          clearTimeout(limit);
          this.options.logger.warn(`A client was refused (${options.transport})`, thrown);
          this.turnAway(channel, thrown);
        },
      );
    };
    channel.open({
      message: take,
      closed: () => {
        clearTimeout(limit);
        this.strangers.delete(channel);
        if (entry) this.lost(entry, channel);
      },
    });
  }

  async dismiss(reason: string, retry: boolean): Promise<void> {
    this.dismissed = true;
    const message = closing(errors.GATEWAY_ENDED({ reason }), retry);
    for (const channel of this.strangers) end(channel, message);
    const all = [...this.entries.values()];
    this.entries.clear();
    for (const { channel, leaving } of all) {
      clearTimeout(leaving);
      if (channel) end(channel, message);
    }
    await Promise.allSettled(all.map(({ guest }) => guest.leave()));
  }

  /** Lets a client in that has said who it is. Undefined if the channel has closed meanwhile. */
  private async admit(channel: Channel, text: string, options: AcceptOptions): Promise<Entry | undefined> {
    const hello = this.hello(text);
    const admission = await options.admit(hello);
    if (!this.strangers.delete(channel)) return undefined;
    const known = this.returning(hello, options);
    const entry = known ?? this.enter(hello, options, admission);
    clearTimeout(entry.leaving);
    // A client that returns before its old connection is known to be dead.
    const { channel: former } = entry;
    entry.channel = channel;
    if (former) {
      former.close();
      void entry.guest.part();
    }
    entry.about.connected = true;
    const { clientId } = entry.about;
    const { secret } = entry.guest;
    const { instance } = this;
    const { version } = this.options;
    send(channel, {
      type: "welcome",
      protocol: PROTOCOL,
      version,
      instance,
      clientId,
      secret,
      resumed: known !== undefined,
    });
    entry.guest.join((message) => channel.send(message));
    return entry;
  }

  private hello(text: string): Hello {
    if (text.length > MAX_HELLO)
      throw errors.GATEWAY_MESSAGE({ problems: `the first message has ${text.length} characters` });
    const hello = readMessage(text);
    if (hello.type !== "hello") throw errors.GATEWAY_MESSAGE({ problems: 'the first message must be "hello"' });
    if (hello.protocol === PROTOCOL) return hello;
    const { version: hostVersion } = this.options;
    throw errors.GATEWAY_PROTOCOL({
      host: PROTOCOL,
      client: hello.protocol,
      hostVersion,
      clientVersion: hello.version,
    });
  }

  private returning({ resume }: Hello, { transport }: AcceptOptions): Entry | undefined {
    const entry = resume && this.entries.get(resume.clientId);
    return entry?.about.transport === transport && entry.guest.isSecret(resume?.secret ?? "") ? entry : undefined;
  }

  private enter({ name, version }: Hello, { transport }: AcceptOptions, { scope }: Admission): Entry {
    const { clients } = this.limits;
    if (this.dismissed || this.entries.size >= clients) throw errors.GATEWAY_FULL({ max: clients });
    const clientId = newId();
    const guest = new Guest(this.options.host.connect({ scope, clientId }));
    const about = {
      clientId,
      transport,
      ...(name !== undefined && { name }),
      version,
      connected: true,
      since: Date.now(),
    };
    const entry: Entry = { guest, about, channel: undefined, leaving: undefined };
    this.entries.set(clientId, entry);
    return entry;
  }

  private take(entry: Entry, channel: Channel, text: string): void {
    if (entry.channel !== channel) return;
    try {
      if (text.length > MAX_MESSAGE) throw errors.GATEWAY_MESSAGE({ problems: `it has ${text.length} characters` });
      this.handle(entry, channel, readMessage(text));
    } catch (thrown) {
      this.turnAway(channel, thrown);
    }
  }

  private handle(entry: Entry, channel: Channel, message: ClientMessage): void {
    if (message.type === "ping") {
      entry.guest.arrived(message.answered);
      send(channel, { type: "pong" });
    } else if (message.type === "processed") entry.guest.took(message.characters);
    else if (message.type === "leave") this.leave(entry);
    else if (message.type === "hello")
      throw errors.GATEWAY_MESSAGE({ problems: '"hello" can only be the first message' });
    else void entry.guest.ask(message);
  }

  /** The connection is gone: the client has some time to come back. */
  private lost(entry: Entry, channel: Channel): void {
    if (entry.channel !== channel) return;
    entry.channel = undefined;
    entry.about.connected = false;
    void entry.guest.part();
    entry.leaving = setTimeout(() => this.leave(entry), this.limits.returnMs);
    entry.leaving.unref();
  }

  private leave(entry: Entry): void {
    clearTimeout(entry.leaving);
    if (!this.entries.delete(entry.about.clientId)) return;
    const { channel } = entry;
    entry.channel = undefined;
    channel?.close();
    entry.guest.leave().catch((thrown) => this.options.logger.warn("A session could not be closed", thrown));
  }

  /** Ends a connection with a reason. What is not a coded error is not told to strangers. */
  private turnAway(channel: Channel, thrown: unknown): void {
    const isStranger = this.strangers.has(channel);
    this.strangers.delete(channel);
    const error = isStranger && !(thrown instanceof ScorelError) ? errors.GATEWAY_REFUSED() : thrown;
    end(channel, closing(error, false));
  }
}

function closing(error: unknown, retry: boolean): HostMessage {
  return { type: "closing", error: wireError(error), retry };
}

function end(channel: Channel, message: HostMessage): void {
  send(channel, message);
  channel.close();
}

function send(channel: Channel, message: HostMessage): void {
  channel.send(JSON.stringify(message));
}
