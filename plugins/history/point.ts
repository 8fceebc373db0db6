import type { EventId } from "@scorel/kernel";
import type { HistoryService } from "./contract.ts";
import { resolveEvent } from "./names.ts";
import { requirePoint } from "./points.ts";

/** The event that is named so, when a conversation can go on from it. */
export const point: HistoryService["point"] = async ({ tree, id: sessionId }, eventId: EventId) => {
  const found = resolveEvent(tree, eventId, sessionId);
  requirePoint(tree, found);
  return found;
};
