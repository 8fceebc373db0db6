import type { AnyPlugin } from "@scorel/kernel";

/** Events of pi's agent that Scorel names differently, or gives other fields. */
const piEvents = [
  "agent_start",
  "agent_end",
  "message_start",
  "message_update",
  "message_end",
  "tool_execution_update",
];

/** The members of the service `agent` that are used here. */
interface Subscribable {
  agent: { subscribe(listener: (event: { type: string }) => unknown): () => void };
}

/**
 * Makes `onEvent` of an extension receive pi's own events if its source names them. Others are not sent, since each update of a
 * message contains a copy of the whole message so far.
 */
export function hearingPi(plugin: AnyPlugin, source: string): AnyPlugin {
  const wanted = piEvents.filter((type) => source.includes(type));
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
