export { codeOf, defineErrors, messageOf, ScorelError } from "@scorel/kit/values/coded-error";
export { newId } from "@scorel/kit/values/id";
export { type BaseContext, type PluginContext, perPlugin } from "./base-context.ts";
export type { FoldCall, HookCall, Missed } from "./hook.ts";
export { stop } from "./hooks/layer.ts";
export { isEvent } from "./is-event.ts";
export type { Kernel, KernelEntry } from "./kernel.ts";
export { type AnyPlugin, definePlugin, type Plugin } from "./plugin.ts";
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
