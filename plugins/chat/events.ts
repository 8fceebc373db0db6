import { clientName } from "@scorel/host/client";
import type { Delivered } from "@scorel/host/contract";
import { type AnyEvent, isEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";

type Event = Delivered["event"];

/** Events that result from the user's own line or command, which prints its own answer. */
const OWN = new Set(["queue_update", "rewind", "branch", "compact", "compaction_end", "client_joined", "client_left"]);

/** The name of the client that caused an event; undefined for one without a name. */
export function authorOf(event: Event): string | undefined {
  return "clientId" in event ? clientName(event.clientId) : undefined;
}

/** The name of the client that has typed a shell line. Undefined for this client's own lines, and for events that are not shell lines. */
export function typistOf(event: Event, ownIds: ReadonlySet<string>): string | undefined {
  return isEvent(event, "shell_line") || isEvent(event, "shell_line_start")
    ? otherName(event.clientId, ownIds)
    : undefined;
}

/** The name of a client that is not the user's. */
export function otherName(clientId: string, ownIds: ReadonlySet<string>): string | undefined {
  return ownIds.has(clientId) ? undefined : (clientName(clientId) ?? "another client");
}

/** The id of a stored event. */
export function idOf(event: Event): string | undefined {
  return "id" in event ? (event.id as string) : undefined;
}

/** True for the user's own messages, which are on the screen since they were typed. A restarted host has given this client another id. */
export function isOwnMessage(event: Event, ownIds: ReadonlySet<string>): boolean {
  return isEvent(event, "message") && event.message.role === "user" && ownIds.has(event.clientId);
}

/**
 * True for events that are reported elsewhere: with the turn's end, by the command, such as the user's own `/name`, or, for the switch to
 * `model`, when the session was opened.
 */
export function isToldElsewhere(event: Event, ownIds: ReadonlySet<string>, model: string | undefined): boolean {
  const { type } = event;
  // Questions are displayed by the screen's `ask`.
  if (type === "turn_error" || type === "turn_failed" || type === "approval_request") return true;
  if (OWN.has(type)) return ownIds.has((event as AnyEvent).clientId);
  if (!isEvent(event, "session_info")) return false;
  const { changes } = event;
  if (Object.keys(changes).join() === "name" && ownIds.has(event.clientId)) return true;
  return changes.model !== undefined && changes.model === model;
}
