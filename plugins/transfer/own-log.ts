import type { Events, EventType } from "@scorel/kernel";
import type { Place } from "./grower.ts";
import { type Importable, importedEvent } from "./importable.ts";
import { isRecord, type Json, textIn } from "./json.ts";
import { type Checked, isChecked, payloadOf, settingsOf } from "./own-message.ts";
import type { Desk, Reader } from "./reader.ts";

/**
 * Matches types of events that must not take effect here: waiting messages, questions and answers, and instructions of
 * another place.
 */
const VOID = /^(queue_update|instruction_snapshot|epoch)$|approval|permission|request|question|answer/;
/** Matches kinds of `custom` events that grant something. */
const GRANTS = /approv|permission|grant|trust/;

/** Reads the records of a Scorel log after its header. Ids, order and branches are kept. */
export class OwnReader implements Reader {
  private readonly desk: Desk;
  private readonly importable: Importable;

  constructor(desk: Desk, importable: Importable) {
    this.desk = desk;
    this.importable = importable;
  }

  take(record: Json) {
    const type = textIn(record.type);
    const place = placeOf(record);
    if (this.takeImportable(type, record, place)) return;
    if (VOID.test(type)) return this.leaveOut(type, place);
    if (type === "custom" && GRANTS.test(textIn(record.kind))) return this.leaveOut(textIn(record.kind), place);
    if (type === "rewind" || type === "branch") return this.takeJump(type, record, place);
    if (type === "session_info") return this.takeSettings(record, place);
    if (!isChecked(type) || !this.takeEvent(type, record, place))
      this.desk.grower.unknown(type || "unnamed", record, place);
  }

  end(): void {}

  /** Takes an event whose plugin here declares its type importable. */
  private takeImportable(type: string, record: Json, place: Place): boolean {
    const definition = this.importable.get(type);
    const event = definition && importedEvent(definition, record);
    if (!event) return false;
    const { grower } = this.desk;
    if (event.isPath) grower.path(type as EventType, event.payload as never, place);
    else grower.beside(type as EventType, event.payload as never, place);
    return true;
  }

  private takeEvent(type: Checked, record: Json, place: Place): boolean {
    const { grower } = this.desk;
    const payload = payloadOf(type, record);
    if (!payload) return false;
    if (type === "compact") return this.takeCompaction(payload as Events["compact"], place);
    if (type === "custom" || type === "channel_inject" || isRetried(record))
      grower.beside(type, payload as never, place);
    else grower.path(type, payload as never, place);
    return true;
  }

  private takeCompaction(payload: Events["compact"], place: Place): boolean {
    const { grower } = this.desk;
    const key = payload.compactedThrough;
    const through = grower.knows(key) ? grower.placeOf(key) : null;
    if (through === null || !grower.isAbove(through, grower.placeOf(place.parent))) return false;
    grower.path("compact", { ...payload, compactedThrough: through }, place);
    return true;
  }

  private takeJump(type: "rewind" | "branch", record: Json, place: Place) {
    const { grower } = this.desk;
    const target = type === "rewind" ? record.targetEventId : record.leafEventId;
    if (target !== null && !grower.knows(target)) return grower.unknown(type, record, place);
    const id = grower.placeOf(target as string | null);
    if (type === "rewind" || id === null) return grower.jump(id, place);
    grower.beside("branch", { leafEventId: id }, place);
    grower.leaf = id;
  }

  private takeSettings(record: Json, place: Place) {
    const changes = settingsOf(record.changes);
    if (Object.keys(changes).length === 0) return this.leaveOut("session_info", place);
    this.desk.grower.beside("session_info", { changes }, place);
  }

  private leaveOut(type: string, { key, parent }: Place) {
    const { grower, report } = this.desk;
    report.leaveOut(type);
    grower.alias(key, grower.placeOf(parent));
  }
}

function placeOf({ id, parentId, ts, clientId }: Json): Place {
  const parent = parentId === null || typeof parentId === "string" ? parentId : undefined;
  return { key: typeof id === "string" ? id : undefined, parent, ts, id, clientId };
}

function isRetried({ message }: Json): boolean {
  return isRecord(message) && isRecord(message.meta) && message.meta.retried === true;
}
