import type { EventDefinition, StoredEvent } from "@scorel/kernel";
import { isRecord, type Json } from "./json.ts";

/** Event types whose plugins, loaded here, let their events come from elsewhere. */
export type Importable = ReadonlyMap<string, EventDefinition>;

const ENVELOPE = new Set(["id", "parentId", "seq", "sessionId", "clientId", "ts", "type", "crc", "nth"]);
const HERE = "the leaf of that moment";

/**
 * An event of a plugin's type as it may be kept: what the type's schema makes of it, and whether the conversation goes on
 * behind it. Undefined when it does not fit, or would move the conversation elsewhere.
 */
export function importedEvent(
  { schema, leaf }: EventDefinition,
  record: Json,
): { payload: Json; isPath: boolean } | undefined {
  const fields = Object.fromEntries(Object.entries(record).filter(([key]) => !ENVELOPE.has(key)));
  try {
    const { data } = schema.safeParse(fields);
    if (!isRecord(data)) return undefined;
    const event = { ...record, ...data } as unknown as StoredEvent;
    const after = leaf ? leaf(event, HERE) : event.id;
    return after === event.id || after === HERE ? { payload: data, isPath: after === event.id } : undefined;
  } catch {
    // A schema or leaf that throws cannot vouch for the event: it is kept like one of an unknown type, and told so.
    return undefined;
  }
}
