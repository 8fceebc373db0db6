import { writeSync } from "node:fs";
import type { Invocation } from "@scorel/cli/contract";
import { forgiveClosed } from "@scorel/kit/terminal/answer";
import { columnsOf, rowsOf } from "@scorel/kit/terminal/size";
import { Keyboard } from "./keyboard.ts";
import { takeStderr } from "./stderr.ts";

const ESC = "\u001b";
/** Switches on the alternate screen, bracketed paste and keys that can be told apart, and switches off the wrapping of lines. */
const ENTER = `${ESC}[?1049h${ESC}[?2004h${ESC}[>4;2m${ESC}[?7l`;
/** Keyboard modes of the Kitty protocol are a stack. `LEAVE` pops one, so that only the first of several `ENTER` may push one. */
const [PUSH_KEYS, KEEP_KEYS] = [`${ESC}[>1u`, `${ESC}[=1u`];
const MOUSE = `${ESC}[?1000h${ESC}[?1006h`;
const LEAVE = `${ESC}[?1006l${ESC}[?1000l${ESC}[r${ESC}[?7h${ESC}[>4;0m${ESC}[<u${ESC}[?2004l${ESC}[m${ESC}[?25h${ESC}[?1049l`;
/** Queries the background colour and the keyboard mode of the Kitty protocol. Terminals that support neither do not answer. */
const QUESTIONS = `${ESC}]11;?${ESC}\\${ESC}[?u`;

/** Milliseconds after SIGTSTP until the screen is taken again, in case the signal was ignored. */
const RESUME_MS = 50;

/** The events of a terminal. */
export interface DeviceEvents {
  /** A key as the terminal sent it, or a whole paste with its brackets. `isAlone` when nothing else came with it. */
  key(data: string, isAlone: boolean): void;
  /** The mouse wheel was turned: by lines down, or up when negative. */
  wheel(lines: number): void;
  /** The left mouse button was pressed. Row and column of the screen count from 0. */
  click(at: { row: number; column: number }): void;
  /** The size has changed, or the screen shows something else, so that it has to be drawn again. */
  changed(): void;
  /** The terminal's background colour, each part from 0 to 1. */
  background(color: { red: number; green: number; blue: number }): void;
  /** Text was written to stderr, and was kept from the screen. */
  complained(text: string): void;
  /** The input has ended: the terminal is gone. */
  ended(): void;
}

type Streams = Pick<Invocation, "stdin" | "stdout" | "terminal" | "stderr" | "env">;

/**
 * The user's terminal. Between `open` and `close` it shows the application's screen. However the process ends, except by SIGKILL, the
 * terminal is restored.
 */
export class Device {
  private readonly stdin: NodeJS.ReadStream;
  private readonly output: NodeJS.WriteStream;
  private readonly stderr: NodeJS.WriteStream;
  private readonly env: Invocation["env"];
  private readonly events: DeviceEvents;
  private readonly keyboard: Keyboard;
  private readonly hasMouse: boolean;
  private isOpen = false;
  /** Whether the screen is given back, to the shell or to another program. */
  private isStopped = false;
  /** Whether another program uses the terminal. */
  private isLent = false;
  private isFull = false;
  /** Whether input was typed before the terminal was in raw mode. Then Enter arrives as a line feed, which in raw mode is Ctrl-J. */
  private isEarly = false;
  private readonly undo: (() => void)[] = [];

  constructor({ stdin, stdout, terminal = stdout, stderr, env }: Streams, events: DeviceEvents, { mouse = true } = {}) {
    this.stdin = stdin;
    this.output = terminal;
    this.stderr = stderr;
    this.env = env;
    this.events = events;
    this.hasMouse = mouse;
    this.keyboard = new Keyboard(events);
  }

  get columns(): number {
    return Math.max(20, columnsOf(this.output, this.env));
  }
  get rows(): number {
    return Math.max(6, rowsOf(this.output, this.env));
  }
  /** Whether the terminal has accepted all output so far. */
  get isReady(): boolean {
    return this.isOpen && !this.isStopped && !this.isFull;
  }

  open(): void {
    forgiveClosed(this.stdin);
    process.on("SIGTSTP", this.onStop);
    this.undo.push(() => void process.off("SIGTSTP", this.onStop));
    this.listen(process, "SIGCONT", () => this.goOn());
    // For a process that ends without `close`.
    this.listen(process, "exit", () => {
      this.giveBack();
      this.isStopped = true;
    });
    this.listen(this.output, "resize", () => this.events.changed());
    this.listen(this.output, "drain", () => {
      this.isFull = false;
      this.events.changed();
    });
    // Writing to a closed terminal fails; the end of the input reports that it is closed.
    this.listen(this.output, "error", () => {});
    this.listen(this.stdin, "error", () => this.events.ended());
    this.listen(this.stdin, "end", () => this.events.ended());
    this.isOpen = true;
    this.isStopped = true;
    this.take();
    this.isEarly = true;
    // By then all input that waited in the terminal was read.
    setImmediate(() =>
      setImmediate(() => {
        this.isEarly = false;
      }),
    );
    const holds = () => this.isOpen && !this.isStopped;
    this.undo.push(takeStderr(this.stderr, holds, (text) => this.events.complained(text)));
    this.write(QUESTIONS);
  }

  close(): void {
    if (!this.isOpen) return;
    this.write(LEAVE);
    this.isOpen = false;
    for (const each of this.undo.splice(0)) each();
    this.stdin.off("data", this.onData);
    this.keyboard.close();
    this.stdin.setRawMode?.(false);
    this.stdin.pause();
  }

  write(text: string): void {
    if (!this.isOpen || this.isStopped || text === "") return;
    if (!this.output.write(text)) this.isFull = true;
  }

  /** Gives the terminal to another program until its work is done. */
  async lend<R>(work: () => Promise<R>): Promise<R> {
    this.rest();
    this.stdin.pause();
    this.isLent = true;
    try {
      return await work();
    } finally {
      this.isLent = false;
      this.retake();
    }
  }

  /** Ctrl-Z: stops the programs of this terminal's job, as the shell would. */
  suspend(): void {
    process.kill(0, "SIGTSTP");
  }

  /** Copies text to the clipboard (OSC 52), which also works over SSH. */
  copy(text: string): void {
    this.write(`${ESC}]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  }

  private readonly onData = (data: Buffer | string): void => {
    const isEarly = this.isEarly;
    this.isEarly = false;
    this.keyboard.take(isEarly ? entered(data) : data);
  };

  private readonly onStop = (): void => {
    if (!this.isOpen || (this.isStopped && !this.isLent)) return;
    if (!this.isLent) this.rest();
    // The process stops here, and continues here after SIGCONT. Without a shell that could continue the job, the system ignores the signal.
    process.off("SIGTSTP", this.onStop);
    process.kill(process.pid, "SIGTSTP");
    setTimeout(() => this.isStopped && this.goOn(), RESUME_MS);
  };

  private goOn(): void {
    if (!this.isOpen) return;
    if (!process.listeners("SIGTSTP").includes(this.onStop)) process.on("SIGTSTP", this.onStop);
    // The shell got the signal of a new size meanwhile. Node reads the size only then.
    process.emit("SIGWINCH", "SIGWINCH");
    if (!this.isLent) this.retake();
  }

  private retake(): void {
    if (!this.isOpen) return;
    this.take();
    this.events.changed();
  }

  private take(): void {
    const keys = this.isStopped ? PUSH_KEYS : KEEP_KEYS;
    this.isStopped = false;
    this.isFull = false;
    // Node does not set a mode that it believes to be set, but the shell may have changed it.
    this.stdin.setRawMode?.(false);
    this.stdin.setRawMode?.(true);
    this.stdin.off("data", this.onData);
    this.stdin.on("data", this.onData);
    this.stdin.resume();
    this.write(ENTER + keys + (this.hasMouse ? MOUSE : ""));
  }

  private rest(): void {
    this.giveBack();
    this.isStopped = true;
    this.stdin.off("data", this.onData);
    this.stdin.setRawMode?.(false);
  }

  /** Restores the terminal synchronously, since the process may end before it could write anything later. */
  private giveBack(): void {
    if (!this.isOpen || this.isStopped) return;
    try {
      writeSync((this.output as { fd?: number }).fd ?? 1, LEAVE);
    } catch {
      // The terminal is gone or blocked, so that it cannot be restored.
    }
  }

  private listen<A extends unknown[]>(
    to: {
      on(event: string, listener: (...args: A) => void): unknown;
      off(event: string, listener: (...args: A) => void): unknown;
    },
    event: string,
    listener: (...args: A) => void,
  ): void {
    to.on(event, listener);
    this.undo.push(() => void to.off(event, listener));
  }
}

/** The input with each line feed replaced by the carriage return that Enter sends in raw mode. */
function entered(data: Buffer | string): Buffer {
  return Buffer.from(Buffer.from(data as string).map((byte) => (byte === 0x0a ? 0x0d : byte)));
}
