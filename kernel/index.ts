export { codeOf, defineErrors, messageOf, ScorelError } from "@scorel/kit/values/coded-error";
export { newId } from "@scorel/kit/values/id";
export type { Kernel, KernelEntry } from "./kernel.ts";
export { stop } from "./layer.ts";
export {
  type AnyPlugin,
  type BaseContext,
  definePlugin,
  type FoldCall,
  type HookCall,
  type Missed,
  type Plugin,
  type PluginContext,
  perPlugin,
  type Renamed,
  renamed,
} from "./plugin.ts";
export { createKernel } from "./plugin-kernel.ts";
export type { AppendEntry, LogView, PathHold, Session } from "./session.ts";
export type { TreeView } from "./tree-view.ts";
export type {
  AnyEvent,
  Awaitable,
  Contributions,
  ConvertContext,
  DisplayAction,
  EventDefinition,
  EventId,
  EventOf,
  Events,
  EventType,
  Hooks,
  LlmAction,
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
} from "./types.ts";
