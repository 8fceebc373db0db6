import * as fs from "node:fs";
import type { AnyEvent, EventId, Ledger, Opened, StoredEvent } from "@scorel/kernel";
import { readIfPresent, removeIfPresent } from "@scorel/kit/files/private";
import type { AssistantMessage, SessionMeta, TextBlock, ThinkingBlock } from "@scorel/messages/contract";

const COALESCE_MS = 16;
/** What the ledger of a log says of an event without a parent. */
const NO_PARENT = -1;

/** The first line of the file: which message the words belong to. */
interface Start {
  eventId: EventId;
  parentId: EventId | null;
  clientId: string;
  ts: number;
  model?: string;
}
type Piece = { kind: "text" | "thinking"; delta: string };
/** What a process that died had shown of a message. */
export interface Leftover extends Start {
  pieces: Piece[];
}

/**
 * The words of a message that is still arriving, in a file beside the log: they are in it before anyone
 * is told of them, so that a killed process loses nothing that was read. Written at once, then at most every 16 ms.
 */
export class PartialText {
  private readonly path: string;
  private readonly onFailure: (thrown: unknown) => void;
  private start: Start | undefined;
  private fd: number | undefined;
  /** Words went missing: what follows them would be read as if nothing were. */
  private broken = false;
  private waiting: Piece[] = [];
  private flushed: { promise: Promise<void>; resolve: () => void } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = Number.NEGATIVE_INFINITY;

  /** `onFailure` hears why words could not be kept; they are announced all the same. */
  constructor(path: string, onFailure: (thrown: unknown) => void) {
    this.path = path;
    this.onFailure = onFailure;
  }

  /** Takes in a transient event before it is announced; it may be announced when the answer has settled. */
  stage(event: AnyEvent): Promise<void> | undefined {
    const fields = event as AnyEvent & Record<string, unknown>;
    if (event.type === "message_start" && fields.role === "assistant") return this.begin(fields);
    if (this.start === undefined || fields.eventId !== this.start.eventId) return undefined;
    if (event.type === "text_delta") return this.add({ kind: "text", delta: fields.delta as string });
    if (event.type === "thinking_delta") return this.add({ kind: "thinking", delta: fields.delta as string });
    if (event.type === "message_cancelled") this.end();
    return undefined;
  }

  /** Takes note of records that are in the log now: the message among them needs its file no more. */
  stored(records: readonly string[]): void {
    if (this.start === undefined) return;
    const own = `"id":"${this.start.eventId}"`;
    if (records.some((record) => record.includes(own))) this.end();
  }

  /** Writes what waits and keeps the file: what it holds is not in the log. */
  close(): void {
    this.flush();
    this.closeFile();
  }

  private begin(fields: AnyEvent & Record<string, unknown>): undefined {
    this.end();
    const { eventId, parentId, clientId, ts, model } = fields as unknown as Start;
    this.start = { eventId, parentId, clientId, ts, ...(model !== undefined && { model }) };
  }

  private add(piece: Piece): Promise<void> | undefined {
    this.waiting.push(piece);
    const due = this.writtenAt + COALESCE_MS - performance.now();
    if (due <= 0) return void this.flush();
    this.timer ??= setTimeout(() => this.flush(), due);
    this.flushed ??= promiseOfLater();
    return this.flushed.promise;
  }

  private flush(): void {
    const pieces = joined(this.waiting);
    if (pieces.length > 0) this.write(pieces.map((piece) => `${JSON.stringify(piece)}\n`).join(""));
    this.writtenAt = performance.now();
    this.release();
  }

  private write(text: string): void {
    if (this.broken) return;
    try {
      if (this.fd === undefined) {
        this.fd = fs.openSync(this.path, "w", 0o600);
        writeAll(this.fd, `${JSON.stringify(this.start)}\n${text}`);
      } else writeAll(this.fd, text);
    } catch (thrown) {
      this.broken = true;
      this.onFailure(thrown);
    }
  }

  /** The message is in the log, or nothing came of it: those who wait may go on, the file goes. */
  private end(): void {
    this.release();
    this.start = undefined;
    this.broken = false;
    this.writtenAt = Number.NEGATIVE_INFINITY;
    if (this.fd === undefined) return;
    this.closeFile();
    removeIfPresent(this.path);
  }

  private release(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
    this.flushed?.resolve();
    this.flushed = undefined;
  }

  private closeFile(): void {
    if (this.fd !== undefined) fs.closeSync(this.fd);
    this.fd = undefined;
  }
}

/** A disk that fills takes a part first; only the next write says why. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written);
}

/** What the file holds, a last line cut short left out; undefined when there is none or it names no message. */
export function readLeftover(path: string): Leftover | undefined {
  const [first, ...rest] = (readIfPresent(path) ?? "").split("\n");
  const start = parse<Start>(first);
  if (typeof start?.eventId !== "string") return undefined;
  const pieces = rest.map((line) => parse<Piece>(line)).filter((piece) => typeof piece?.delta === "string") as Piece[];
  return { ...start, pieces: joined(pieces) };
}

/**
 * The message that a leftover becomes, or undefined when the log has moved on without it: the message is
 * there, another one follows the same parent, or no word of it had arrived.
 */
export function messageOfLeftover(leftover: Leftover, { header, ledger }: Opened): StoredEvent | undefined {
  const { eventId: id, parentId, clientId } = leftover;
  const hasText = leftover.pieces.some((piece) => piece.kind === "text");
  if (!hasText || ledger.rowOf(id) >= 0 || isAnswered(ledger, parentId)) return undefined;
  const seq = ledger.lastSeq + 1;
  const envelope = { type: "message", id, parentId, seq, sessionId: header.sessionId, clientId, ts: Date.now() };
  return { ...envelope, message: partialMessage(leftover, providerOf(leftover, ledger)) } as StoredEvent;
}

/** Whether another message follows the same event. */
function isAnswered(ledger: Ledger, parentId: EventId | null): boolean {
  const parent = parentId === null ? NO_PARENT : ledger.rowOf(parentId);
  for (const row of rowsOf(ledger, "message")) if (ledger.parent[row] === parent) return true;
  return false;
}

/** The start of a message names its model without the provider; the session's own record of its model has both. */
function providerOf({ model }: Leftover, ledger: Ledger): string | undefined {
  const ending = `/${model}`;
  for (const row of rowsOf(ledger, "session_info")) {
    const chosen = modelIn(ledger.read(row));
    if (chosen?.endsWith(ending)) return chosen.slice(0, -ending.length);
  }
  return undefined;
}

/** The rows of a type, the last one first. */
function* rowsOf(ledger: Ledger, type: string): Generator<number> {
  const wanted = ledger.types.indexOf(type);
  for (let row = ledger.size - 1; row >= 0; row--) if (ledger.type[row] === wanted) yield row;
}

function modelIn(event: StoredEvent | undefined): string | undefined {
  return (event as (StoredEvent & { changes?: SessionMeta }) | undefined)?.changes?.model;
}

function partialMessage({ model, pieces, ts }: Leftover, provider: string | undefined): AssistantMessage {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: "assistant",
    content: pieces.map(asBlock),
    api: "unknown",
    provider: provider ?? "unknown",
    model: model ?? "unknown",
    usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
    stopReason: "aborted",
    partial: true,
    timestamp: ts,
  };
}

function asBlock(piece: Piece): TextBlock | ThinkingBlock {
  return piece.kind === "text" ? { type: "text", text: piece.delta } : { type: "thinking", thinking: piece.delta };
}

/** Neighbours of one kind as one piece. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last?.kind === piece.kind) last.delta += piece.delta;
    else result.push({ ...piece });
  }
  return result;
}

function parse<T>(line: string | undefined): T | undefined {
  try {
    return line ? (JSON.parse(line) as T) : undefined;
  } catch {
    return undefined;
  }
}

function promiseOfLater(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
