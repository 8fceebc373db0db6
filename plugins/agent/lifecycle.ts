import type { AgentContext } from "./environment.ts";

/** Says when the session is there and when it goes. */
export function announceSession(ctx: AgentContext): void {
  ctx.session.emit("session_start", {});
  ctx.onDispose(() => void ctx.session.emit("session_end", { reason: "closed" }));
}
