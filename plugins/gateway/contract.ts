import type { CliOption } from "@scorel/cli/contract";
import type { Challenge, Channel, Hello } from "@scorel/host/client";
import type { ClientScope } from "@scorel/host/contract";
import type { Awaitable } from "@scorel/kernel";

/** How a transport lets clients in. */
export interface AcceptOptions {
  /** Name of the transport, for people: `socket`, `ws`. */
  transport: string;
  /**
   * The transport takes no more than `max` connections, in all or `of` somebody, such as `this device`: the client is told so, and the
   * channel closed.
   */
  tooMany?: { max: number; of?: string } | undefined;
  /**
   * Decides whether a client is let in, and what it may do. Whatever it throws refuses the client; a coded error is told to it,
   * anything else only as a refusal. With a number of seconds as its `retryAfter`, the client tries again then.
   */
  admit(hello: Hello): Awaitable<Admission>;
  /**
   * Proves to a client that this host knows its token, before the client sends it. What it throws refuses the client. For transports whose
   * clients cannot know by themselves who is at the other end.
   */
  prove?(challenge: Challenge): string;
}

export interface Admission {
  /** The operations and options that the client may use. Default: all of them. */
  scope?: ClientScope | undefined;
  /** Names of the scopes of the client's token, such as `view` and `prompt`, as `scorel host status` shows them. */
  scopes?: readonly string[] | undefined;
  /** The name under which others see the client. Default: the name that the client sends when it connects. */
  name?: string | undefined;
  /**
   * Who the client is, for transports that can tell: a client that comes back after its connection was lost goes on as it was only
   * with the same identity. It is no secret.
   */
  identity?: string | undefined;
}

/** A client that is connected, or was so a moment ago. */
export interface ConnectedClient {
  clientId: string;
  transport: string;
  /** The name under which others see the client: that of its token, or the one that it sent, with a number if several have it. */
  name?: string;
  /** Absent for clients that do not tell, such as curl. */
  version?: string;
  /** Scopes of the client's token, such as `view` and `prompt`. Absent when the client may do everything. */
  scopes?: readonly string[];
  /** False while the host waits for it to come back. */
  connected: boolean;
  /** Milliseconds since 1970. */
  since: number;
}

/** The service `gateway`: serves the host's clients over connections that transports make. */
export interface GatewayService {
  /** Serves the client at the other end of a channel. The transport has nothing more to do. */
  accept(channel: Channel, options: AcceptOptions): void;
  clients(): ConnectedClient[];
  /** Names a client among the others that its transport serves by itself, until the returned function is called. */
  announce(client: ConnectedClient): () => void;
  /** Tells all clients why the host leaves them, and closes their channels. With `retry`, they connect again by themselves. */
  dismiss(reason: string, retry: boolean): Promise<void>;
  /** Sends all clients what has happened so far; those that are far behind get the rest when they come back. */
  flush(): Promise<void>;
}

/** A way in which clients reach the host. Each is contributed by a plugin as one of its `transports`. */
export interface Transport {
  name: string;
  /** Options of `scorel host serve` with which it is used. */
  options?: readonly CliOption[];
  /**
   * What others could do when it listens with these options, as a sentence for the question whether to go on. Undefined if there is
   * nothing to ask. Also throws what is wrong with the options.
   */
  danger?(options: Readonly<Record<string, unknown>>): Awaitable<string | undefined>;
  /**
   * Throws if it could not listen with these options once the addresses in `freed` are free, so that no running host is stopped for
   * one that does not start.
   */
  probe?(options: Readonly<Record<string, unknown>>, freed: readonly string[]): Awaitable<void>;
  /** Begins to accept clients, and gives their channels to the service `gateway`. Undefined if the options do not ask for it. */
  listen(options: Readonly<Record<string, unknown>>): Awaitable<Listening | undefined>;
  /** Whether clients may come later for whom the host has to be there, so that it does not end when it is idle. */
  isExpecting?(): boolean;
  /** What it keeps on disk for its clients, such as tokens, for `scorel host reset`. Undefined if there is nothing. */
  kept?(): Awaitable<{ what: string; clear(): Awaitable<void> } | undefined>;
  /** The protocols of the addresses that `dial` connects to, with a colon: `ws:`. */
  schemes?: readonly string[];
  /** Options of the commands that connect to such an address, for `dial`. */
  dialOptions?: readonly CliOption[];
  /** The address that such options name, for transports with an option of their own in place of `--url`. */
  address?(options: Readonly<Record<string, unknown>>): string | undefined;
  /** The commands that talk to the hosts elsewhere which it knows. */
  known?(): Awaitable<readonly string[]>;
  /** Opens a connection to a host elsewhere. With `again` among the options, an earlier one was lost: nobody is to be asked anything. */
  dial?(address: URL, options: Readonly<Record<string, unknown>>): Awaitable<Channel>;
}

/** A transport that accepts clients. */
export interface Listening {
  /** Where it can be reached, without secrets: a path or a URL. */
  address: string;
  /** What people need to connect, without secrets, such as the file that has the token. */
  note?: string | undefined;
  /** From now on, tells those who come that the host stops, where the gateway does not do that. */
  refuse?(): void;
  /** Accepts no more clients, and closes the connections. */
  close(): Promise<void>;
}

declare module "@scorel/kernel" {
  interface Services {
    gateway: GatewayService;
  }
  interface Contributions {
    /** Ways in which clients reach the host, for \`scorel host serve\` and \`scorel attach\`. Host plugins only. */
    transports: Transport[];
  }
}
