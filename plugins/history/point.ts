import type { EventId } from "@scorel/kernel";
import type { HistoryService } from "./contract.ts";
import { resolveEvent } from "./names.ts";
import { requirePoint } from "./points.ts";

/** Resolves an event id to a point; see HistoryService. */
export const point: HistoryService["point"] = async ({ tree, id: sessionId }, eventId: EventId) => {
  const found = resolveEvent(tree, eventId, sessionId);
  requirePoint(tree, found);
  return found;
};
