import { EventEmitter } from "node:events";
import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { Bursts, laterByTimer } from "@scorel/kit/terminal/bursts";

const ESC = "\u001b";
/** Sequences that a terminal with bracketed paste sends before and after pasted text. */
const BEGIN = `${ESC}[200~`;
const END = `${ESC}[201~`;
const ASK = `${ESC}[?2004h`;
const STOP_ASKING = `${ESC}[?2004l`;
/** The inputs whose terminals mark pastes. They are told to stop if this process exits; one listener is enough for all. */
const asked = new Set<TerminalInput>();
const stopAll = () => {
  for (const input of asked) input.stopAsking();
};
/** Milliseconds to wait for the rest of a sequence that is cut at the end of the received input. */
const REST_MS = 50;
/** Milliseconds of silence after which a paste ends without its end mark, so that keys are not lost for good. */
const PASTE_MS = 1_000;
/** Matches a complete sequence, or else one character. */
const KEY = new RegExp(`${ESC}(?:\\[[\\d:;<=>?]*[ -/]*[@-~]|[^[${ESC}])|[\\s\\S]`, "gu");

/** The members of a terminal's input stream that are used here. */
export interface KeyStream extends NodeJS.EventEmitter {
  setRawMode?(mode: boolean): unknown;
  pause(): unknown;
  resume(): unknown;
}

/**
 * A stream of a terminal's keys for readline. Pastes are taken out: each one is an event `paste` with its text. The terminal marks pastes
 * while it is in raw mode; for a terminal that does not mark them, several lines that come at once count as a paste.
 */
export class TerminalInput extends EventEmitter {
  private readonly stdin: KeyStream;
  private readonly terminal: Writable;
  private readonly decoder = new StringDecoder("utf8");
  /** Received characters that may be the beginning of a mark. */
  private pending = "";
  /** The parts of the paste so far. */
  private pasted: string[] = [];
  private isPasting = false;
  private timer: NodeJS.Timeout | undefined;
  private stopPause = () => {};
  /** Called with keys before readline gets them. Returns true to keep them from it. */
  takes: (keys: string) => boolean = () => false;
  private readonly bursts = new Bursts({
    onKeys: (keys) => void (this.takes(keys.join("")) || this.emit("data", keys.join(""))),
    onPaste: (text) => void this.emit("paste", text),
  });

  constructor(stdin: KeyStream, terminal: Writable) {
    super();
    this.stdin = stdin;
    this.terminal = terminal;
    stdin.on("data", this.take);
    stdin.on("end", this.ended);
    stdin.on("error", this.failed);
  }

  /** Sets raw mode. In raw mode, a real terminal is told to mark pastes; without raw mode, not to mark them. */
  setRawMode(mode: boolean): this {
    const { stdin } = this;
    if (!stdin.setRawMode) return this;
    if (!mode) this.stopAsking();
    stdin.setRawMode(mode);
    if (mode && process.env.TERM !== "dumb") {
      if (asked.size === 0) process.on("exit", stopAll);
      asked.add(this);
      this.terminal.write(ASK);
    }
    return this;
  }

  pause(): this {
    this.stdin.pause();
    return this;
  }

  resume(): this {
    this.stdin.resume();
    return this;
  }

  /** Restores the terminal's settings, and stops reading. */
  end(): void {
    clearTimeout(this.timer);
    this.stopPause();
    this.stopAsking();
    this.stdin.off("data", this.take);
    this.stdin.off("end", this.ended);
    this.stdin.off("error", this.failed);
  }

  /** Tells the terminal not to mark pastes any more. */
  stopAsking(): void {
    if (!asked.delete(this)) return;
    if (asked.size === 0) process.off("exit", stopAll);
    this.terminal.write(STOP_ASKING);
  }

  private readonly ended = (): void => {
    this.flush();
    this.settle();
    this.emit("end");
  };

  private readonly failed = (error: Error): void => void this.emit("error", error);

  private readonly take = (data: Buffer | string): void => {
    clearTimeout(this.timer);
    this.pending += typeof data === "string" ? data : this.decoder.write(data);
    let isMore = true;
    while (isMore) isMore = this.step();
    if (this.pending === "" && !this.isPasting) return;
    this.timer = setTimeout(this.flush, this.isPasting ? PASTE_MS : REST_MS);
  };

  /** Passes on the input before the next mark. Returns whether there was a mark. */
  private step(): boolean {
    const { pending, isPasting } = this;
    const mark = isPasting ? END : BEGIN;
    const at = pending.indexOf(mark);
    if (at < 0) {
      const count = pending.length - beginningOf(mark, pending);
      if (isPasting) this.keep(count);
      else this.pass(count);
      return false;
    }
    if (isPasting) {
      this.keep(at);
      this.endPaste();
    } else {
      this.pass(at);
      this.settle();
    }
    this.pending = pending.slice(at + mark.length);
    this.isPasting = !isPasting;
    return true;
  }

  /** Moves the first pending characters to the paste. */
  private keep(count: number): void {
    this.pasted.push(this.pending.slice(0, count));
    this.pending = this.pending.slice(count);
  }

  private endPaste(): void {
    const text = this.pasted.join("");
    this.pasted = [];
    this.emit("paste", text);
  }

  /** Passes the first pending characters on as keys. */
  private pass(count: number): void {
    const keys = this.pending.slice(0, count);
    this.pending = this.pending.slice(count);
    if (!this.stdin.setRawMode) {
      if (keys !== "") this.emit("data", keys);
      return;
    }
    this.stopPause();
    this.bursts.take(keys.match(KEY) ?? []);
    const { pause } = this.bursts;
    if (pause !== undefined) this.stopPause = laterByTimer(this.settle, pause);
  }

  private readonly settle = (): void => {
    this.stopPause();
    this.bursts.settle();
  };

  /** Passes on pending input when no more input has come that could complete it. */
  private readonly flush = (): void => {
    clearTimeout(this.timer);
    const { pending, isPasting } = this;
    this.isPasting = false;
    if (isPasting) {
      this.keep(pending.length);
      this.endPaste();
    } else this.pass(pending.length);
  };
}

/** The number of characters at the end of the input that are the beginning of a mark. */
function beginningOf(mark: string, text: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
