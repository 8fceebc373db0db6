import { join } from "node:path";
import type { BaseContext } from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import type { Composition } from "@scorel/workspace/contract";
import { ClientNames, newClientId } from "./clients/client-id.ts";
import { EmbeddedClient } from "./clients/embedded.ts";
import type { Client, HostService, KnownSessionOptions, SessionLogs } from "./contract.ts";
import { Sessions } from "./sessions/sessions.ts";
import { createShelf } from "./sessions/shelf.ts";
import { lockedIn } from "./storage/lock.ts";
import { besideLog } from "./storage/session-store.ts";
import { homePath } from "./workspace.ts";

/** The host of this process with its sessions, for this plugin's own commands. */
export interface LocalHost extends HostService, SessionLogs {
  readonly sessions: Sessions;
}

/** A frozen object with only a client's public members, so that its user cannot reach the scope or the host behind it. */
function sealedClient(client: EmbeddedClient, closed: () => void): Client {
  const { clientId, request } = client;
  return Object.freeze<Client>({
    clientId,
    request,
    subscribe: (...given) => client.subscribe(...given),
    watchSessions: (...given) => client.watchSessions(...given),
    drained: (sessionId) => client.drained(sessionId),
    close: () => client.close().finally(closed),
  });
}

/** Creates a host over `~/.scorel/sessions` of the current HOME. */
export function createHost(options: {
  composition: Composition;
  logs: Logs;
  logger: BaseContext["logger"];
  sessionOptions: KnownSessionOptions["known"];
  concurrentTurns: number;
}): LocalHost {
  const sessionsDir = join(homePath(), ".scorel", "sessions");
  const sessions = new Sessions({ ...options, shelf: createShelf(sessionsDir, options.logs) });
  const names = new ClientNames();
  return {
    sessionsDir,
    logs: options.logs,
    lockFile: (sessionId) => besideLog(sessions.shelf.path(sessionId), "lock"),
    locked: () => lockedIn(sessionsDir),
    sessions,
    connect: ({ name: given, clientId, ...options } = {}) => {
      const name = given === undefined ? undefined : names.take(given);
      const id = clientId ?? newClientId(name);
      const client = new EmbeddedClient(sessions, { ...options, name, clientId: id });
      let held = name;
      return sealedClient(client, () => {
        if (held !== undefined) names.free(held);
        held = undefined;
      });
    },
  };
}
