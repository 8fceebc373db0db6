import type { ConnectedClient } from "@scorel/gateway/contract";
import type { Client } from "@scorel/host/contract";

/** The status of a host. It contains no secrets. */
export interface HostStatus {
  pid: number;
  /** Version of Scorel. */
  version: string;
  preset: string;
  /** When it was started, in milliseconds since 1970. */
  startedAt: number;
  /** The addresses at which it can be reached, with the transport of each. */
  addresses: { transport: string; address: string; note?: string | undefined }[];
  /** The clients that are connected, or were connected a moment ago. */
  clients: ConnectedClient[];
  /** The number of open sessions, of those with a running turn, and of those whose running turn waits for turns of other sessions. */
  sessions: { open: number; running: number; waiting: number };
}

/** The service `daemon`: access to the host that runs in the background for this user directory. */
export interface DaemonService {
  /**
   * Connects to the host. If none runs, starts one; with `start: false`, throws DAEMON_NONE. `name` is the client's name, which other clients
   * see.
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
    /** Returns the status of the host that runs in the background. Throws DAEMON_NONE in any other process. */
    host_status: { params: Record<string, never>; result: HostStatus };
    /**
     * Closes the unused sessions below a directory. Otherwise a host keeps unused sessions open for some minutes, for clients that connect
     * again. Throws DAEMON_NONE.
     */
    close_unused_sessions: { params: { cwd: string }; result: Record<string, never> };
    /**
     * Makes the host listen at a port of its computer (127.0.0.1; 0 for any free port) as with `scorel host serve --port`, unless it
     * listens at a port already. Returns its address. Only for clients that are connected through the host's Unix socket. Throws
     * DAEMON_NONE, DAEMON_OWN_USER, DAEMON_NO_WEB and WEB_LISTEN.
     */
    open_port: { params: { port: number }; result: { address: string } };
    /**
     * Stops the host that runs in the background, as SIGTERM does: clients are notified, and running turns get 10 seconds to end. With
     * `whenIdle`, only if no turn and nothing in the background runs and no other client is connected; otherwise `reason` says why the host
     * goes on.
     */
    stop_host: {
      params: { whenIdle?: boolean | undefined };
      result: { stopping: boolean; reason?: string | undefined };
    };
  }
}
