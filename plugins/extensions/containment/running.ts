import { type Call, stack } from "./calls.ts";
import type { ContainedPlugin } from "./contained-plugin.ts";

/** The extensions of all running kernels, including those that failed to start: their code may still throw. */
export const running = new Set<ContainedPlugin>();

/** The sessions that run extensions. */
export function openSessions(): string[] {
  return [...new Set([...running].flatMap(({ sessionId }) => sessionId ?? []))];
}

/** The calls of extensions that have not settled, the latest last; for the watchdog. */
export function runningCalls(): Call[] {
  const settling = [...running].flatMap(({ settling }) => [...settling]).sort((a, b) => a.nth - b.nth);
  return [...settling, ...stack].map(({ plugin, where, sessionId }) => ({ plugin, where, sessionId }));
}
