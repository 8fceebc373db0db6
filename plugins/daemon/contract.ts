import type { ConnectedClient } from "@scorel/gateway/contract";
import type { Client } from "@scorel/host/contract";

/** What a host says about itself. It contains no secrets. */
export interface HostStatus {
  pid: number;
  /** Version of Scorel. */
  version: string;
  preset: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Where it can be reached, by transport. */
  addresses: { transport: string; address: string; note?: string | undefined }[];
  /** Those that are connected, or were so a moment ago. */
  clients: ConnectedClient[];
  /** Sessions that are open, those with a running turn, and those of them whose turn waits for turns of others. */
  sessions: { open: number; running: number; waiting: number };
}

/** The service `daemon`: the host of this home that runs in the background. */
export interface DaemonService {
  /**
   * Connects to it, and starts it first if none runs, or with `start: false` throws DAEMON_NONE then. `name` is how others see the
   * client.
   */
  connect(name: string, options?: { start?: boolean }): Promise<Client>;
}

declare module "@scorel/kernel" {
  interface Services {
    daemon: DaemonService;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /** Describes the host that runs in the background. Throws DAEMON_NONE in a process that is none. */
    host_status: { params: Record<string, never>; result: HostStatus };
    /**
     * Closes the sessions below a directory that nobody uses. A host keeps such sessions open for some minutes, for clients that come back.
     * Throws DAEMON_NONE.
     */
    close_unused_sessions: { params: { cwd: string }; result: Record<string, never> };
    /**
     * Has the host listen at a port of its computer (127.0.0.1; 0 takes any free one) as with `scorel host serve --port`, unless it listens
     * at one already; answers its address. Only for clients that have come over the host's Unix socket. Throws DAEMON_NONE, DAEMON_OWN_USER,
     * DAEMON_NO_WEB and WEB_LISTEN.
     */
    open_port: { params: { port: number }; result: { address: string } };
    /**
     * Stops the host that runs in the background, as SIGTERM does: clients are told, and running turns get 10 seconds. With
     * `whenIdle`, only if no turn runs and nobody else is connected; `reason` then says what keeps it.
     */
    stop_host: {
      params: { whenIdle?: boolean | undefined };
      result: { stopping: boolean; reason?: string | undefined };
    };
  }
}
