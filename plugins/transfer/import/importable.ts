import type { EventDefinition, StoredEvent } from "@scorel/kernel";
import { isRecord, type Json } from "../json.ts";

/** Event types that their plugins declare importable, by name. */
export type Importable = ReadonlyMap<string, EventDefinition>;

const ENVELOPE = new Set(["id", "parentId", "seq", "sessionId", "clientId", "ts", "type", "crc", "nth"]);
const HERE = "the leaf of that moment";

/**
 * Validates an event against its plugin's schema. `isPath` tells whether it becomes the leaf. Undefined when it is
 * invalid or would move the leaf elsewhere.
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
    // The event cannot be checked by a schema or leaf function that throws, so it is kept like one of an unknown type.
    return undefined;
  }
}
