import type { Events } from "@scorel/kernel";
import { type Importable, importedEvent } from "../import/importable.ts";
import type { Place } from "../import/tree-builder.ts";
import { isRecord, type Json, textIn } from "../json.ts";
import { type Checked, isChecked, payloadOf, settingsOf } from "./own-message.ts";
import type { ImportTarget, Reader } from "./reader.ts";

/**
 * Matches types of events that must not take effect here: waiting messages, questions and answers, and instructions of
 * another place.
 */
const VOID = /^(queue_update|instruction_snapshot|epoch)$|approval|permission|request|question|answer/;
/** Matches kinds of `custom` events that grant something. */
const GRANTS = /approv|permission|grant|trust/;

/** Reads the records of a Scorel log after its header. Ids, order and branches are kept. */
export class OwnReader implements Reader {
  private readonly target: ImportTarget;
  private readonly importable: Importable;

  constructor(target: ImportTarget, importable: Importable) {
    this.target = target;
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
      this.target.builder.unknown(type || "unnamed", record, place);
  }

  end(): void {}

  /** Takes an event whose plugin here declares its type importable. */
  private takeImportable(type: string, record: Json, place: Place): boolean {
    const definition = this.importable.get(type);
    const event = definition && importedEvent(definition, record);
    if (!event) return false;
    const { builder } = this.target;
    if (event.isPath) builder.path(type as keyof Events, event.payload as never, place);
    else builder.beside(type as keyof Events, event.payload as never, place);
    return true;
  }

  private takeEvent(type: Checked, record: Json, place: Place): boolean {
    const { builder } = this.target;
    const payload = payloadOf(type, record);
    if (!payload) return false;
    if (type === "compact") return this.takeCompaction(payload as Events["compact"], place);
    if (type === "custom" || type === "channel_inject" || isRetried(record))
      builder.beside(type, payload as never, place);
    else builder.path(type, payload as never, place);
    return true;
  }

  private takeCompaction(payload: Events["compact"], place: Place): boolean {
    const { builder } = this.target;
    const key = payload.compactedThrough;
    const through = builder.knows(key) ? builder.placeOf(key) : null;
    if (through === null || !builder.isAbove(through, builder.placeOf(place.parent))) return false;
    builder.path("compact", { ...payload, compactedThrough: through }, place);
    return true;
  }

  private takeJump(type: "rewind" | "branch", record: Json, place: Place) {
    const { builder } = this.target;
    const target = type === "rewind" ? record.targetEventId : record.leafEventId;
    if (target !== null && !builder.knows(target)) return builder.unknown(type, record, place);
    const id = builder.placeOf(target as string | null);
    if (type === "rewind" || id === null) return builder.jump(id, place);
    builder.beside("branch", { leafEventId: id }, place);
    builder.leaf = id;
  }

  private takeSettings(record: Json, place: Place) {
    if (isRecord(record.changes)) this.target.report.setChosenModel(record.changes.chosenModel);
    const changes = settingsOf(record.changes);
    if (Object.keys(changes).length === 0) return this.leaveOut("session_info", place);
    this.target.builder.beside("session_info", { changes }, place);
  }

  private leaveOut(type: string, { key, parent }: Place) {
    const { builder, report } = this.target;
    report.leaveOut(type);
    builder.alias(key, builder.placeOf(parent));
  }
}

function placeOf({ id, parentId, ts, clientId }: Json): Place {
  const parent = parentId === null || typeof parentId === "string" ? parentId : undefined;
  return { key: typeof id === "string" ? id : undefined, parent, ts, id, clientId };
}

function isRetried({ message }: Json): boolean {
  return isRecord(message) && isRecord(message.meta) && message.meta.retried === true;
}
