import type { ContainedPlugin } from "./contained-plugin.ts";

/** The extensions that kernels of this process run. Those that did not start, or have stopped, may still fail until the kernel stops. */
export const running = new Set<ContainedPlugin>();

/** The sessions that run extensions. */
export function openSessions(): string[] {
  return [...new Set([...running].flatMap(({ sessionId }) => sessionId ?? []))];
}
