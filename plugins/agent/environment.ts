import type { AppendEntry, BaseContext, FoldCall, HookCall, PluginContext } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type { ReadyTool } from "@scorel/tools/contract";
import type { z } from "zod";
import type { Clock } from "./clock.ts";
import type { config } from "./config.ts";
import type { Listeners } from "./listeners.ts";
import type { Queue } from "./queue.ts";
import { createRedaction, type Redaction } from "./redaction.ts";

export type AgentContext = PluginContext<z.output<typeof config>, "model">;

/** The native hooks, as their owner calls them. */
export interface HookCalls {
  beforeToolCall: HookCall<"beforeToolCall">;
  approveToolCall: FoldCall<"approveToolCall">;
  afterToolCall: FoldCall<"afterToolCall">;
  beforeContext: HookCall<"beforeContext">;
  transformContext: HookCall<"transformContext">;
  contextOverflow: HookCall<"contextOverflow">;
  systemPrompt: HookCall<"systemPrompt">;
  convertToLlm: HookCall<"convertToLlm">;
}

/** What the parts of a running agent share. */
export interface Environment {
  readonly ctx: AgentContext;
  readonly hooks: HookCalls;
  readonly queue: Queue;
  readonly listeners: Listeners;
  readonly clock: Clock;
}

/** Optional services are looked up at the moment of use: a preset may leave their plugins out. */
export function systemPrompt(ctx: BaseContext): string {
  return ctx.find("prompt")?.system() ?? "";
}
/** What the prompt has to write before the next message of a user. */
export function opening(ctx: BaseContext): readonly AppendEntry[] {
  return ctx.find("prompt")?.opening() ?? [];
}
/** What plugins add to a prompt, to follow it in the log; rejects on abort. */
export async function submitted(ctx: BaseContext, prompt: string, signal: AbortSignal): Promise<AppendEntry[]> {
  return (await ctx.find("prompt")?.submitted(prompt, signal)) ?? [];
}
export function tools(ctx: BaseContext): readonly ReadyTool[] {
  return ctx.find("tools")?.list() ?? [];
}
/** Tools as a request describes them, without those that are unlisted. */
export function offeredTools(ctx: BaseContext): Pick<ReadyTool, "name" | "description" | "parameters">[] {
  const listed = tools(ctx).filter(({ unlisted }) => !unlisted);
  return listed.map(({ name, description, parameters }) => ({ name, description, parameters }));
}
export function redaction(ctx: BaseContext): Redaction {
  return createRedaction(ctx.find("secrets"));
}
