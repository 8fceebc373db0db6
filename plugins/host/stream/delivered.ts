import type { AnyEvent, Missed, Session } from "@scorel/kernel";
import type { Delivered } from "../contract.ts";

/** Adds the display form of an event, which the plugin of the event's type defines. */
export function deliver(session: Session, event: AnyEvent | Missed): Delivered {
  if (!isMissed(event)) return { event, display: session.display(event) };
  const text = `Too slow to follow: passing events ${event.from} to ${event.to} were left out.`;
  return { event, display: { display: "notice", level: "warning", text } };
}

export function isMissed(event: AnyEvent | Missed): event is Missed {
  return event.type === "missed";
}
