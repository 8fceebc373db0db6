import type { AppendEntry, BaseContext } from "@scorel/kernel";
import type { UserMessage } from "@scorel/messages/contract";
import { type AgentContext, opening } from "../environment.ts";

/** A user's message that starts a turn. */
export interface Prompt {
  message: UserMessage;
  clientId?: string | undefined;
}

/** Returns what a turn writes first: the model if it changed, the events of plugin `prompt`, then the messages. */
export function firstEntries(ctx: AgentContext, prompts: readonly Prompt[]): AppendEntry[] {
  return [...modelChange(ctx), ...opening(ctx), ...prompts.map(asEntry)];
}

/** Returns the event that records the model and thinking level in use, when they changed. */
export function modelChange(ctx: AgentContext): AppendEntry[] {
  const { provider, id } = ctx.model.current();
  const model = `${provider}/${id}`;
  const thinkingLevel = ctx.find("workspace")?.thinking;
  const known = ctx.session.projection("sessionMeta");
  const changes = {
    ...(known.model !== model && { model }),
    ...(thinkingLevel !== undefined && known.thinkingLevel !== thinkingLevel && { thinkingLevel }),
  };
  if (changes.thinkingLevel !== undefined) warnIfThoughtless(ctx, changes.thinkingLevel);
  return Object.keys(changes).length === 0 ? [] : [{ type: "session_info", payload: { changes } }];
}

/** Warns the user if a thinking level has no effect, since the model's entry does not say that it thinks. */
export function warnIfThoughtless(ctx: BaseContext, level: string): void {
  const model = ctx.find("model")?.current();
  if (level === "off" || !model || model.reasoning) return;
  ctx.ui.notify(
    `The thinking level ${level} has no effect: ${model.provider}/${model.id} does not think, or its entry in the configuration lacks \`reasoning = true\`.`,
    "warning",
  );
}

function asEntry({ message, clientId }: Prompt): AppendEntry {
  return { type: "message", payload: { message }, ...(clientId !== undefined && { clientId }) };
}
