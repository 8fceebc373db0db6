import type { AppendEntry, BaseContext, FoldCall, HookCall, PluginContext } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type { ReadyTool } from "@scorel/tools/contract";
import type { z } from "zod";
import type { Clock } from "./clock.ts";
import type { config } from "./config.ts";
import type { Listeners } from "./listeners.ts";
import { createRedaction, type Redaction } from "./messages/redaction.ts";
import type { Queue } from "./turn/queue.ts";

export type AgentContext = PluginContext<z.output<typeof config>, "model">;

/** Functions that call the agent's native hooks. */
export interface HookCalls {
  beforeToolCall: FoldCall<"beforeToolCall">;
  approveToolCall: FoldCall<"approveToolCall">;
  afterToolCall: FoldCall<"afterToolCall">;
  beforeContext: HookCall<"beforeContext">;
  transformContext: HookCall<"transformContext">;
  contextOverflow: HookCall<"contextOverflow">;
  systemPrompt: HookCall<"systemPrompt">;
  convertToLlm: HookCall<"convertToLlm">;
  beforeStore: FoldCall<"beforeStore">;
  modelRequest: FoldCall<"modelRequest">;
  modelPayload: FoldCall<"modelPayload">;
}

/** Dependencies that all parts of the agent share. */
export interface Environment {
  readonly ctx: AgentContext;
  readonly hooks: HookCalls;
  readonly queue: Queue;
  readonly listeners: Listeners;
  readonly clock: Clock;
}

/** Returns the prompt plugin's system prompt, or "" when that plugin is not loaded. */
export function systemPrompt(ctx: BaseContext): string {
  return ctx.find("prompt")?.system() ?? "";
}
/** Returns the events that the prompt plugin writes before the next user message. */
export function opening(ctx: BaseContext): readonly AppendEntry[] {
  return ctx.find("prompt")?.opening() ?? [];
}
/** Returns the events that plugins add to a submitted prompt; they follow it in the log. Rejects on abort. */
export async function submitted(ctx: BaseContext, prompt: string, signal: AbortSignal): Promise<AppendEntry[]> {
  return (await ctx.find("prompt")?.submitted(prompt, signal)) ?? [];
}
/** Returns all tools of the session, unlisted ones included. */
export function tools(ctx: BaseContext): readonly ReadyTool[] {
  return ctx.find("tools")?.list() ?? [];
}
/** Returns the tools that a request describes; unlisted tools are left out. */
export function offeredTools(ctx: BaseContext): Pick<ReadyTool, "name" | "description" | "parameters">[] {
  const listed = tools(ctx).filter(({ unlisted }) => !unlisted);
  return listed.map(({ name, description, parameters }) => ({ name, description, parameters }));
}
/** Returns the redaction of known secrets. Without the service `secrets`, it changes nothing. */
export function redaction(ctx: BaseContext): Redaction {
  return createRedaction(ctx.find("secrets"));
}
