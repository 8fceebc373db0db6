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
// The contract by subject: what a client is told of sessions (`sessions`), their events (`events`) and following them
// (`subscriptions`); what it asks (`operations`) and gets (`results`), and in which size (`answers`); who answers it (`handlers`);
// who it is (`client`). `services` is what plugins of this process use.
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
    /** Parts of the session's status have changed; null stands for one that is absent now. Sent if a client asked with `follow_status`. */
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
     * Operations for clients. Those of a host plugin are always available; those of a session plugin only for params
     * with a `sessionId`. The function is called at the first request, and again when a plugin begins or ceases to contribute
     * operations; `ctx.contribute` adds those that are not known before.
     */
    operations: { [O in Operation]?: OperationHandler<O> };
  }
}
