import { channel } from "node:diagnostics_channel";
import { messageOf } from "@scorel/kit/values/coded-error";

/** What is published on the diagnostics channel `scorel.hook` when a layer of a native hook has ended. */
export interface HookTrace {
  sessionId: string;
  hook: string;
  plugin: string;
  /** Milliseconds since the epoch, with fractions. */
  startedAt: number;
  endedAt: number;
  /** Why the layer failed; absent when it did not. */
  error?: string;
}

const hooks = channel("scorel.hook");

/** Watches one layer; without a subscriber to the channel it costs a look at a flag. */
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
