import type { CliOption } from "@scorel/cli/contract";
import type { Challenge, Channel, Hello } from "@scorel/host/client";
import type { ClientScope } from "@scorel/host/contract";
import type { Awaitable } from "@scorel/kernel";

/** How a transport admits a client. */
export interface AcceptOptions {
  /** The name of the transport for display: `socket`, `ws`. */
  transport: string;
  /**
   * Set if the transport has reached its limit of `max` connections, in total or `of` somebody, such as `this device`. The client gets an
   * error, and the channel is closed.
   */
  tooMany?: { max: number; of?: string } | undefined;
  /**
   * Decides whether a client is admitted, and what it may do. Any thrown error refuses the client. An error with a code is sent to it, any
   * other only as a refusal. If the error has a number of seconds as its `retryAfter`, the client tries again then.
   */
  admit(hello: Hello): Awaitable<Admission>;
  /**
   * Returns a proof that this host knows the client's token, before the client sends the token. Any thrown error refuses the client. For
   * transports whose clients cannot verify by themselves which program is at the other end.
   */
  prove?(challenge: Challenge): string;
}

/** The rights and the name of an admitted client. */
export interface Admission {
  /** The operations and options that the client may use. Default: all of them. */
  scope?: ClientScope | undefined;
  /** Names of the scopes of the client's token, such as `view` and `prompt`, as `scorel host status` shows them. */
  scopes?: readonly string[] | undefined;
  /** The name under which others see the client. Default: the name that the client sends when it connects. */
  name?: string | undefined;
  /**
   * Identifies the client, for transports that can tell: after a lost connection, a client can resume only with the same identity. It is no
   * secret.
   */
  identity?: string | undefined;
}

/** A client that is connected, or was connected a moment ago. */
export interface ConnectedClient {
  clientId: string;
  transport: string;
  /** The name under which others see the client: that of its token, or the one that it sent, with a number if several clients have it. */
  name?: string;
  /** The version of the client's program. Absent for clients that do not send it, such as curl. */
  version?: string;
  /** Scopes of the client's token, such as `view` and `prompt`. Absent when the client may do everything. */
  scopes?: readonly string[];
  /** False while the host waits for the client to reconnect. */
  connected: boolean;
  /** When it has connected, in milliseconds since 1970. */
  since: number;
}

/** The service `gateway`: serves the host's clients over the connections of transports. */
export interface GatewayService {
  /** Serves the client at the other end of a channel. The transport has nothing more to do. */
  accept(channel: Channel, options: AcceptOptions): void;
  clients(): ConnectedClient[];
  /** Adds a client that its transport serves by itself to the list of clients, until the returned function is called. */
  announce(client: ConnectedClient): () => void;
  /** Sends all clients the reason why the host disconnects them, and closes their channels. With `retry`, they reconnect by themselves. */
  dismiss(reason: string, retry: boolean): Promise<void>;
  /** Sends all clients the events so far. Clients that are far behind get the rest when they reconnect. */
  flush(): Promise<void>;
}

/** A way in which clients reach the host. Each is contributed by a plugin as one of its `transports`. */
export interface Transport {
  name: string;
  /** Options of `scorel host serve` that configure the transport. */
  options?: readonly CliOption[];
  /**
   * Describes what others could do if it listens with these options, as a sentence for the question whether to go on. Undefined if the user
   * need not be asked. Throws errors in the options.
   */
  danger?(options: Readonly<Record<string, unknown>>): Awaitable<string | undefined>;
  /**
   * Throws if it could not listen with these options even when the addresses in `freed` are free, so that no running host is stopped for one
   * that would not start.
   */
  probe?(options: Readonly<Record<string, unknown>>, freed: readonly string[]): Awaitable<void>;
  /** Begins to accept clients, and passes their channels to the service `gateway`. Undefined if the options do not ask for this transport. */
  listen(options: Readonly<Record<string, unknown>>): Awaitable<Listening | undefined>;
  /** Whether clients may connect later by themselves, so that the host must not end when it is idle. */
  isExpecting?(): boolean;
  /** For `scorel host reset`: the data that it keeps on disk for its clients, such as tokens. Undefined if there is none. */
  kept?(): Awaitable<{ what: string; clear(): Awaitable<void> } | undefined>;
  /** The protocols of the addresses that `dial` connects to, with a colon: `ws:`. */
  schemes?: readonly string[];
  /** Options of the commands that connect to such an address, for `dial`. */
  dialOptions?: readonly CliOption[];
  /** The address in such options, for transports with an option of their own instead of `--url`. */
  address?(options: Readonly<Record<string, unknown>>): string | undefined;
  /** The command lines that connect to hosts on other computers which the transport knows. */
  known?(): Awaitable<readonly string[]>;
  /** Connects to a host at an address. The option `again` is set after a lost connection: then the user must not be asked anything. */
  dial?(address: URL, options: Readonly<Record<string, unknown>>): Awaitable<Channel>;
}

/** A transport that accepts clients. */
export interface Listening {
  /** The address at which it can be reached, without secrets: a path or a URL. */
  address: string;
  /** How to connect, for users: for example the path of the token file, but never the token itself. */
  note?: string | undefined;
  /** Refuses new clients from now on, with the reason that the host stops, for transports where the gateway does not do so. */
  refuse?(): void;
  /** Stops accepting clients, and closes the connections. */
  close(): Promise<void>;
}

declare module "@scorel/kernel" {
  interface Services {
    gateway: GatewayService;
  }
  interface Contributions {
    /** Transports through which clients reach the host, for `scorel host serve` and `scorel attach`. Host plugins only. */
    transports: Transport[];
  }
}
