import type { Entry } from "../host/session.ts";

/** Leaves out notes about the model before the first reply of a session, since nothing had been switched by then. */
export function withoutFirstModel(entries: readonly Entry[]): readonly Entry[] {
  const reply = entries.findIndex(({ row }) => row?.display.display === "bubble" && row.display.role === "assistant");
  return entries.filter(({ row }, at) => (reply >= 0 && at > reply) || !row || !isModel(row.event));
}

function isModel(event: { type: string; changes?: unknown }): boolean {
  return event.type === "session_info" && Object.keys(Object(event.changes)).every((key) => /model/i.test(key));
}
