export { copyPlain, frozenCopy } from "./copy.ts";
export { codeOf, defineErrors, messageOf, ScorelError } from "./errors.ts";
export { freeze } from "./freeze.ts";
export { isId, newId } from "./ids.ts";
export { issueText } from "./issue-text.ts";
export type { Containment, Kernel, KernelEntry, KernelOptions } from "./kernel.ts";
export { stop, withCopy } from "./layer.ts";
export {
  hashOf,
  hashOfBytes,
  Ledger,
  type LedgerImage,
  LOST_PARENT,
  ledgerWith,
  NO_PARENT,
  NO_ROW,
} from "./ledger.ts";
export { nearest } from "./nearest.ts";
export {
  type AnyPlugin,
  type BaseContext,
  type Collected,
  definePlugin,
  type FoldCall,
  type HookCall,
  type Listener,
  type Missed,
  type PerPlugin,
  type Plugin,
  type PluginContext,
  perPlugin,
  type Tap,
} from "./plugin.ts";
export { createKernel } from "./plugin-kernel.ts";
export type { AppendEntry, LogView, PathHold, Session } from "./session.ts";
export { createMemoryStore, type LogImage, type Opened, type Problem, type Store } from "./store.ts";
export type { HookTrace } from "./trace.ts";
export type { Stretch, TreeView } from "./tree-view.ts";
export type {
  AnyEvent,
  AnyEventDefinition,
  Awaitable,
  Contributions,
  ConvertContext,
  DisplayAction,
  Dispose,
  EventDefinition,
  EventId,
  EventOf,
  Events,
  EventType,
  HookName,
  Hooks,
  LlmAction,
  Logger,
  Message,
  ProjectionDefinition,
  Projections,
  Services,
  SessionHeader,
  StoredEvent,
  TransientDefinition,
  TransientOf,
  Transients,
  Types,
  Ui,
} from "./types.ts";
export { within } from "./within.ts";
