import { channel } from "node:diagnostics_channel";
import { messageOf } from "@scorel/kit/values/coded-error";

/** The message published on the diagnostics channel `scorel.hook` when a layer of a native hook ends. */
export interface HookTrace {
  sessionId: string;
  hook: string;
  plugin: string;
  /** Milliseconds since the epoch, with fractions. */
  startedAt: number;
  endedAt: number;
  /** The failure's message. Absent if the layer succeeded. */
  error?: string;
}

const hooks = channel("scorel.hook");

/** Traces one layer. Does nothing if the channel has no subscribers. */
export function traceLayer(
  sessionId: string,
  hook: string,
  plugin: string,
): ((failure?: { thrown: unknown }) => void) | undefined {
  if (!hooks.hasSubscribers) return undefined;
  const startedAt = now();
  return (failure) => {
    const error = failure && { error: messageOf(failure.thrown) };
    hooks.publish({ sessionId, hook, plugin, startedAt, endedAt: now(), ...error } satisfies HookTrace);
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
