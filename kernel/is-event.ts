import type { EventOf, EventType, TransientOf, TransientType } from "./types.ts";

/**
 * Whether an event has this type. Where it has, TypeScript knows its fields; a type that no contract declares does not compile.
 *
 * Only `type` is compared. The schema of a registered type checked the fields when the event was appended, imported or emitted. They
 * are not checked again when a log is opened or a client receives the event: if something else may have written the log, or the
 * client does not trust the host, fields can be missing or have other types.
 */
export function isEvent<T extends EventType | TransientType>(
  event: { readonly type: string } | undefined,
  type: T,
): event is EventOf<Extract<T, EventType>> | TransientOf<Extract<T, TransientType>> {
  return event?.type === type;
}
