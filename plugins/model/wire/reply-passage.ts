import type { SpokenApi } from "../choose/apis.ts";
import { type Passage, searchable } from "./body-lines.ts";
import { dataOf, endOfEvents, eventsIn, joinEvents, objectIn, plainBreaks, withData } from "./event-text.ts";
import { repairFinishReason } from "./finish-reason.ts";
import { DeltaJoiner } from "./reply-deltas.ts";
import { errorIn, type ToldError } from "./reply-error.ts";
import { repairUsage } from "./reply-usage.ts";
import { asEvents } from "./whole-reply.ts";

/** Maximum bytes held back until an event or a JSON document is complete. */
const MOST_HELD = 16_000_000;
/** Matches events that need parsing: token counts, errors, endings, or numbers that JSON does not allow. */
const NOTABLE =
  /"usage|"error"|"finish_reason":\s*"|"finishReason"|"blockReason"|\berror\n|"response\.failed"|"message_(?:start|delta)"|NaN|Infinity|"code"/;

export interface ReplyListener {
  /** The reply contains an error. */
  failed(error: ToldError): void;
  /** The reply cannot be read; `reason` is a sentence. */
  refused(reason: string): void;
  /** Returns true when deltas that arrive together may be merged. */
  mayJoin(): boolean;
}

/**
 * Normalizes a reply before its library reads it: invalid token counts are removed, unusual finish reasons replaced, errors inside
 * reported, a reply sent as one JSON document becomes events, and deltas are merged where allowed.
 */
export class ReplyPassage implements Passage {
  private readonly api: SpokenApi;
  private readonly listener: ReplyListener;
  private readonly joiner: DeltaJoiner;
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  /** The last held bytes, since a blank line may span several pieces. */
  private tail: Buffer = Buffer.alloc(0);
  /** True if the answer is a JSON document; undefined before its first character. */
  private isDocument: boolean | undefined;

  constructor(api: SpokenApi, listener: ReplyListener) {
    this.api = api;
    this.listener = listener;
    this.joiner = new DeltaJoiner(api);
  }

  piece(bytes: Uint8Array): Uint8Array {
    this.isDocument ??= beginsDocument(bytes);
    const end = this.isDocument ? -1 : endOfEvents(joined(this.tail, bytes)) - this.tail.length;
    if (end < 0) {
      this.hold(bytes);
      return new Uint8Array();
    }
    const events = Buffer.concat([...this.held, bytes.subarray(0, end)]);
    this.held = [];
    this.heldBytes = 0;
    this.tail = Buffer.alloc(0);
    if (end < bytes.length) this.hold(bytes.slice(end));
    return this.passed(events);
  }

  end(): Uint8Array {
    const rest = Buffer.concat(this.held);
    this.held = [];
    if (this.isDocument) return this.document(rest);
    const text = rest.toString("utf8");
    const looked = this.looked(plainBreaks(text));
    return looked === text ? rest : Buffer.from(looked);
  }

  private hold(bytes: Uint8Array): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes > MOST_HELD) throw new TypeError(`The server sent ${MOST_HELD} bytes without a whole event.`);
    this.held.push(bytes);
    this.tail = joined(this.tail, bytes.subarray(-3)).subarray(-3);
  }

  private passed(bytes: Buffer): Uint8Array {
    const text = bytes.toString("utf8");
    const passed = this.events(plainBreaks(text));
    return passed === text ? bytes : Buffer.from(passed);
  }

  private events(text: string): string {
    const joins = this.listener.mayJoin();
    if (!joins && !NOTABLE.test(text)) return text;
    const out: string[] = [];
    for (const event of eventsIn(text)) {
      if (joins && this.joiner.take(event, out)) continue;
      this.joiner.flush(out);
      out.push(this.looked(event));
    }
    this.joiner.flush(out);
    return joinEvents(out);
  }

  private looked(event: string): string {
    if (!NOTABLE.test(event)) return event;
    const json = dataOf(event) ?? "";
    const valid = objectIn(json);
    const data = valid ?? objectIn(json.replace(/([:[,]\s*)(?:NaN|-?Infinity)\b/g, "$1null"));
    if (!data) return event;
    const error = errorIn(data);
    if (error) this.listener.failed(error);
    const isRepaired = [repairUsage(data), repairFinishReason(data)].includes(true);
    return isRepaired || !valid ? withData(event, data) : event;
  }

  private document(bytes: Buffer): Uint8Array {
    const text = bytes.toString("utf8");
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      return bytes; // Cut off, which the library reports.
    }
    const events = asEvents(this.api, document);
    if (events !== undefined) return Buffer.from(this.events(events));
    const error = errorIn(Object(document) as Record<string, unknown>);
    if (error) this.listener.failed(error);
    else this.listener.refused(`The server answered with a JSON document that is not a reply: ${text.slice(0, 200)}`);
    return new Uint8Array();
  }
}

function joined(tail: Buffer, bytes: Uint8Array): Buffer {
  return tail.length === 0 ? searchable(bytes) : Buffer.concat([tail, bytes]);
}

function beginsDocument(bytes: Uint8Array): boolean | undefined {
  const first = bytes.find((byte) => byte > 32);
  return first === undefined ? undefined : first === 0x7b || first === 0x5b;
}

/** Chains two passages. */
export function chain(first: Passage, second: Passage): Passage {
  return {
    piece(bytes) {
      const passed = first.piece(bytes);
      return passed.length === 0 ? passed : second.piece(passed);
    },
    end() {
      const rest = first.end();
      const passed = rest.length === 0 ? rest : second.piece(rest);
      return Buffer.concat([passed, second.end()]);
    },
  };
}
