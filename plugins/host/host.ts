import { join } from "node:path";
import type { BaseContext } from "@scorel/kernel";
import { newId } from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import type { Composition } from "@scorel/workspace/contract";
import { EmbeddedClient } from "./clients/embedded.ts";
import type { HostService, KnownSessionOptions, SessionLogs } from "./contract.ts";
import { Sessions } from "./sessions/sessions.ts";
import { createShelf } from "./sessions/shelf.ts";
import { homePath } from "./workspace.ts";

/** The host of this process with its sessions, for this plugin's own commands. */
export interface LocalHost extends HostService, SessionLogs {
  readonly sessions: Sessions;
}

/** Creates a host over `~/.scorel/sessions` of the current HOME. */
export function createHost(options: {
  composition: Composition;
  logs: Logs;
  logger: BaseContext["logger"];
  sessionOptions: KnownSessionOptions["known"];
}): LocalHost {
  const sessionsDir = join(homePath(), ".scorel", "sessions");
  const sessions = new Sessions({ ...options, shelf: createShelf(sessionsDir, options.logs) });
  return {
    sessionsDir,
    logs: options.logs,
    sessions,
    connect: ({ clientId = newId(), ...options } = {}) => new EmbeddedClient(sessions, { ...options, clientId }),
  };
}
