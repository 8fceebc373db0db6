import type { AnyPlugin } from "@scorel/kernel";

/** Events of the library's agent for which Scorel has other names, or other fields under the same name. */
const others = ["agent_start", "agent_end", "message_start", "message_update", "message_end", "tool_execution_update"];

/** The part of the service `agent` that is used here. */
interface Subscribable {
  agent: { subscribe(listener: (event: { type: string }) => unknown): () => void };
}

/**
 * Gives an extension that was written for the library's events those that its source names. The others are left out, as each
 * update of a message holds a copy of the whole message so far.
 */
export function hearingPi(plugin: AnyPlugin, source: string): AnyPlugin {
  const wanted = others.filter((type) => source.includes(type));
  const { activate, onEvent } = plugin;
  if (!onEvent || wanted.length === 0) return plugin;
  return {
    ...plugin,
    activate(ctx: Subscribable) {
      ctx.agent.subscribe((event) => (wanted.includes(event.type) ? onEvent(event, ctx) : undefined));
      return activate?.(ctx);
    },
    onEvent: (event: { type: string }, ctx) => (wanted.includes(event.type) ? undefined : onEvent(event, ctx)),
  };
}
