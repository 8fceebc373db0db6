export { stop, withCopy } from "./chain.ts";
export { copyPlain, frozenCopy } from "./copy.ts";
export { codeOf, defineErrors, messageOf, ScorelError } from "./errors.ts";
export { freeze } from "./freeze.ts";
export { isId, newId } from "./ids.ts";
export { issueText } from "./issue-text.ts";
export type { Containment, Kernel, KernelEntry, KernelOptions } from "./kernel.ts";
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
export type { AppendEntry, AppendOptions, LogView, PathHold, Session } from "./session.ts";
export { createMemoryStore, type LogImage, type Opened, type Problem, type Store } from "./store.ts";
export type { HookTrace } from "./trace.ts";
export type { Stretch, TreeView } from "./tree.ts";
export * from "./types.ts";
export { within } from "./within.ts";
