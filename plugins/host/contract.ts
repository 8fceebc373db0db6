import type { OperationHandler } from "./contract/handlers.ts";
import type { Operation } from "./contract/operations.ts";
import type {
  Directories,
  HistoryService,
  HostService,
  KnownSessionOptions,
  SessionLogs,
  SharedFiles,
} from "./contract/services.ts";
import type { SessionGlance } from "./contract/sessions.ts";

export type {
  Composition,
  NestedSkills,
  Notice,
  PresetPackage,
  SessionOption,
  SessionOptions,
  TrustedCopy,
  Workspace,
} from "@scorel/workspace/contract";
// The contract by subject: sessions (`sessions`), their events (`events`) and subscriptions to them (`subscriptions`); operations
// (`operations`), their results (`results`), the size of answers (`answers`) and their handlers (`handlers`); clients and their rights
// (`client`); services for plugins in the host's process (`services`).
export type * from "./contract/answers.ts";
export type * from "./contract/client.ts";
export type * from "./contract/events.ts";
export type * from "./contract/handlers.ts";
export type * from "./contract/operations.ts";
export type * from "./contract/results.ts";
export type * from "./contract/services.ts";
export type * from "./contract/sessions.ts";
export type * from "./contract/subscriptions.ts";

declare module "@scorel/kernel" {
  interface Transients {
    /**
     * Parts of the session's status have changed. Null means that a field was removed. Sent while a client follows it (`follow_status`).
     */
    status_change: { changes: { [K in keyof SessionGlance]?: SessionGlance[K] | null } };
  }
  interface Services {
    host: HostService;
    sessionLogs: SessionLogs;
    sessionOptions: KnownSessionOptions;
    sharedFiles: SharedFiles;
    directories: Directories;
    history: HistoryService;
  }
  interface Contributions {
    /**
     * Operations for clients. Those of a host plugin are always available, those of a session plugin only for params with a `sessionId`. The
     * function is called at the first request, and again after any plugin has added or removed operations. Operations that are only known
     * later can be added with `ctx.contribute`.
     */
    operations: { [O in Operation]?: OperationHandler<O> };
  }
}
