import { crc32 } from "node:zlib";
import type { Session, StoredEvent } from "@scorel/kernel";
import { type Redact, redacted } from "./redaction.ts";
import { eventsOf } from "./shown.ts";

/** Yields the lines of a session's log with checksums: all of it, or only the current conversation. */
export function* logLines(session: Session, redact: Redact, onlyPath: boolean, version: number): Generator<string> {
  yield lineOf({ ...session.header, version: Math.max(session.header.version, version), checksum: "crc32" }, redact);
  let nth = 0;
  if (onlyPath) for (const event of eventsOf(session)) yield lineOf({ ...linked(session, event), nth: ++nth }, redact);
  else for (const event of session.tree) yield lineOf({ ...event, nth: ++nth }, redact);
}

/** Replaces the parent by the one that the tree determined where the log is damaged. */
function linked({ tree }: Session, event: StoredEvent): StoredEvent {
  return { ...event, parentId: tree.parent(event.id)?.id ?? null };
}

function lineOf(record: object, redact: Redact): string {
  const given = JSON.stringify(record);
  const json = redact(given) === given ? given : JSON.stringify(redacted(record, redact));
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}
