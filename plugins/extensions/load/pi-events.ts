import type { AnyPlugin } from "@scorel/kernel";

/** Events of the library's agent that Scorel tells under other names, or under the same name with other fields. */
const others = ["agent_start", "agent_end", "message_start", "message_update", "message_end", "tool_execution_update"];

/** The part of the service `agent` that is used here. */
interface Subscribable {
  agent: { subscribe(listener: (event: { type: string }) => unknown): () => void };
}

/**
 * An extension that was written for the library's events gets them by `onEvent`, those that its text names: each update of a
 * message is a copy of all of it so far, which is too much for who does not ask.
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
