import { doingNow } from "../client/view/doing.ts";
import { LiveWork } from "../client/view/live.ts";
import type { SessionStatus } from "../contract.ts";
import { deliver } from "../stream/delivered.ts";
import type { OpenSession } from "./open-session.ts";

/** Returns the current activity of a session's running turn, computed in the same way as clients compute it. */
export function doingIn({ kernel, stream }: Pick<OpenSession, "kernel" | "stream">): Pick<SessionStatus, "doing"> {
  if (!stream.running) return {};
  const live = new LiveWork();
  for (const event of stream.inFlightEvents) live.take(deliver(kernel.session, event), () => false);
  const doing = doingNow(live, stream.questionTitles);
  return doing ? { doing } : {};
}
