import * as fs from "node:fs";
import { type AnyEvent, type EventId, isEvent, type StoredEvent, type TransientOf } from "@scorel/kernel";
import { Ledger, type Opened } from "@scorel/kernel/store";
import { readIfPresent, removeIfPresent } from "@scorel/kit/files/private";
import { noUsage } from "@scorel/kit/session/usage";
import type { AssistantMessage, SessionMeta, TextBlock, ThinkingBlock } from "@scorel/messages/contract";

const COALESCE_MS = 16;

/** The first line of the file, which describes the message that the text belongs to. */
interface Start {
  eventId: EventId;
  parentId: EventId | null;
  clientId: string;
  ts: number;
  model?: string;
}
type Piece = { kind: "text" | "thinking"; delta: string };
/** A partial message left by a process that was killed. */
export interface Leftover extends Start {
  pieces: Piece[];
}

/**
 * Keeps the text of an arriving message in a file beside the log. Text is written before it is announced, so that nothing that was shown is
 * lost if the process is killed. The first text is written immediately, later text at most every 16 ms.
 */
export class PartialText {
  private readonly path: string;
  private readonly onFailure: (thrown: unknown) => void;
  private start: Start | undefined;
  private fd: number | undefined;
  /** True after a failed write: later text must not follow a gap. */
  private broken = false;
  private waiting: Piece[] = [];
  private flushed: { promise: Promise<void>; resolve: () => void } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = Number.NEGATIVE_INFINITY;

  /** `onFailure` is called if the file could not be written or deleted. The text is announced, and the message stored, anyway. */
  constructor(path: string, onFailure: (thrown: unknown) => void) {
    this.path = path;
    this.onFailure = onFailure;
  }

  /**
   * Stores the text of a transient event before it is announced. If this returns a promise, announce the event after it has resolved.
   */
  stage(event: AnyEvent): Promise<void> | undefined {
    if (isEvent(event, "message_start") && event.role === "assistant") return this.begin(event);
    if (this.start === undefined || (event as { eventId?: EventId }).eventId !== this.start.eventId) return undefined;
    if (isEvent(event, "text_delta")) return this.add({ kind: "text", delta: event.delta });
    if (isEvent(event, "thinking_delta")) return this.add({ kind: "thinking", delta: event.delta });
    if (event.type === "message_cancelled") this.end();
    return undefined;
  }

  /** Deletes the file when its message is among the records that were just stored. */
  stored(records: readonly string[]): void {
    if (this.start === undefined) return;
    const own = `"id":"${this.start.eventId}"`;
    if (records.some((record) => record.includes(own))) this.end();
  }

  /** Writes pending text and keeps the file, since its message is not in the log. */
  close(): void {
    this.flush();
    this.closeFile();
  }

  private begin({ eventId, parentId, clientId, ts, model }: TransientOf<"message_start">): undefined {
    this.end();
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

  /** Ends the current message, which was stored or cancelled: releases waiters and deletes the file. */
  private end(): void {
    this.release();
    this.start = undefined;
    this.broken = false;
    this.writtenAt = Number.NEGATIVE_INFINITY;
    const { fd } = this;
    this.fd = undefined;
    if (fd === undefined) return;
    try {
      this.deleteFile(fd);
    } catch (thrown) {
      // The message is in the log by now, or is not wanted. Storing it must not fail because of this file.
      this.onFailure(thrown);
    }
  }

  /** Deletes the file, or at least empties it, so that it is not taken for what a killed process has left. */
  private deleteFile(fd: number): void {
    try {
      removeIfPresent(this.path);
    } catch (thrown) {
      fs.ftruncateSync(fd, 0);
      throw thrown;
    } finally {
      fs.closeSync(fd);
    }
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

/** Writes a whole text. On a full disk, the first write may store only a part, and only the next one throws. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written);
}

/** Reads a file left by a killed process, without an incomplete last line. Undefined if it does not exist or describes no message. */
export function readLeftover(path: string): Leftover | undefined {
  const [first, ...rest] = (readIfPresent(path) ?? "").split("\n");
  const start = parse<Start>(first);
  if (typeof start?.eventId !== "string") return undefined;
  const pieces = rest.map((line) => parse<Piece>(line)).filter((piece) => typeof piece?.delta === "string") as Piece[];
  return { ...start, pieces: joined(pieces) };
}

/**
 * Converts a leftover to a message event. Undefined when it has no text, when the message is already in the log, or
 * when another message follows the same parent.
 */
export function messageOfLeftover(leftover: Leftover, { header, ledger }: Opened): StoredEvent | undefined {
  const { eventId: id, parentId, clientId } = leftover;
  const hasText = leftover.pieces.some((piece) => piece.kind === "text");
  if (!hasText || ledger.rowOf(id) >= 0 || isAnswered(ledger, parentId)) return undefined;
  const seq = ledger.lastSeq + 1;
  const envelope = { type: "message", id, parentId, seq, sessionId: header.sessionId, clientId, ts: Date.now() };
  return { ...envelope, message: partialMessage(leftover, providerOf(leftover, ledger)) } as StoredEvent;
}

/** Returns true when a message follows the given parent. */
function isAnswered(ledger: Ledger, parentId: EventId | null): boolean {
  const parent = parentId === null ? Ledger.NO_PARENT : ledger.rowOf(parentId);
  for (const row of rowsOf(ledger, "message")) if (ledger.parent[row] === parent) return true;
  return false;
}

/** Finds the model's provider in the session's settings, since `message_start` names only the model. */
function providerOf({ model }: Leftover, ledger: Ledger): string | undefined {
  const ending = `/${model}`;
  for (const row of rowsOf(ledger, "session_info")) {
    const chosen = modelIn(ledger.read(row));
    if (chosen?.endsWith(ending)) return chosen.slice(0, -ending.length);
  }
  return undefined;
}

/** Yields the rows of one event type, the last one first. */
function* rowsOf(ledger: Ledger, type: string): Generator<number> {
  const wanted = ledger.types.indexOf(type);
  for (let row = ledger.size - 1; row >= 0; row--) if (ledger.type[row] === wanted) yield row;
}

function modelIn(event: StoredEvent | undefined): string | undefined {
  return (event as (StoredEvent & { changes?: SessionMeta }) | undefined)?.changes?.model;
}

function partialMessage({ model, pieces, ts }: Leftover, provider: string | undefined): AssistantMessage {
  return {
    role: "assistant",
    content: pieces.map(asBlock),
    api: "unknown",
    provider: provider ?? "unknown",
    model: model ?? "unknown",
    usage: noUsage(),
    stopReason: "aborted",
    partial: true,
    timestamp: ts,
  };
}

function asBlock(piece: Piece): TextBlock | ThinkingBlock {
  return piece.kind === "text" ? { type: "text", text: piece.delta } : { type: "thinking", thinking: piece.delta };
}

/** Joins consecutive pieces of the same kind. */
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
