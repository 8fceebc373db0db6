import { crc32 } from "node:zlib";
import type { Session, StoredEvent } from "@scorel/kernel";
import { slices } from "@scorel/kit/values/slices";
import { type Redact, redacted } from "./redaction.ts";
import { eventsOf } from "./shown.ts";

/** Yields the lines of a session's log with checksums: all of it, or only the current conversation. */
export async function* logLines(
  session: Session,
  redact: Redact,
  onlyPath: boolean,
  version: number,
): AsyncGenerator<string> {
  yield lineOf({ ...session.header, version: Math.max(session.header.version, version), checksum: "crc32" }, redact);
  let nth = 0;
  for await (const event of onlyPath ? eventsOf(session) : allOf(session))
    yield lineOf({ ...(onlyPath ? linked(session, event) : event), nth: ++nth }, redact);
}

/** Yields all events. Other work of the host runs in between. */
async function* allOf({ tree }: Session): AsyncGenerator<StoredEvent> {
  const pause = slices();
  for (const event of tree) {
    await pause();
    yield event;
  }
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
