import { newId } from "@scorel/kernel";
import { errors } from "../errors.ts";
import type { Processes } from "../executor/processes.ts";
import type { End, Ended, Paused, runCommand } from "./command.ts";
import type { Confine } from "./confinement.ts";
import type { Kept, Output } from "./output.ts";

const MAX_COMMANDS = 16;
const ID_LENGTH = 6;
/** The most unread output in characters; beyond it, the command is paused until the next poll. */
const MAX_UNREAD = 64 * 1024 * 1024;

/** The result of a poll: new output and the state of the command. */
export interface Polled {
  command: string;
  kept: Kept;
  /** Absent while the command runs. */
  ended: Ended | undefined;
  durationMs: number;
  /** The time limit in seconds; 0 for none. */
  seconds: number;
}
/** The parts of the session that a background command needs. */
export interface CommandContext {
  run: typeof runCommand;
  /** Creates a collector of output. */
  output(): Output;
  redactor(): { write(chunk: string): string; end(): string };
  running: Set<End>;
  processes: Processes;
  /** Called when a command has started, and when it has ended. */
  onChange(): void;
}
export interface BackgroundCommand {
  command: string;
  cwd: string;
  env: Record<string, string>;
  confine?: Confine | undefined;
  timeoutMs?: number | undefined;
}

interface Entry {
  command: string;
  /** When the command was started, in milliseconds since the epoch. */
  since: number;
  seconds: number;
  started: number;
  output: Output;
  unread: number;
  ended: Ended | undefined;
  endedAt: number | undefined;
  control: AbortController;
  reading: Paused | undefined;
  /** Settles when the command has ended. */
  done: Promise<void>;
}

/** The background commands of a session. */
export class Background {
  private readonly context: CommandContext;
  private readonly entries = new Map<string, Entry>();

  constructor(context: CommandContext) {
    this.context = context;
  }

  /** Starts a command and returns its id. Throws BASH_BACKGROUND_FULL and BASH_SPAWN. */
  async start(wanted: BackgroundCommand): Promise<string> {
    this.makeRoom();
    const { run, running, processes, output, redactor } = this.context;
    const id = newId().slice(0, ID_LENGTH);
    const redacted = redactor();
    const control = new AbortController();
    const entry: Entry = {
      command: wanted.command,
      since: Date.now(),
      seconds: (wanted.timeoutMs ?? 0) / 1000,
      started: performance.now(),
      output: output(),
      unread: 0,
      ended: undefined,
      endedAt: undefined,
      control,
      reading: undefined,
      done: Promise.resolve(),
    };
    const onText = (text: string) => take(entry, redacted.write(text));
    await new Promise<void>((resolve, reject) => {
      const onStart = (started: Paused) => {
        entry.reading = started;
        resolve();
      };
      const command = { ...wanted, signal: control.signal, onText, onStart, background: true };
      entry.done = run(command, processes, running).then(
        (ended) => {
          take(entry, redacted.end());
          entry.ended = ended;
          entry.endedAt = performance.now();
          this.context.onChange();
        },
        // Rejects only if the command cannot start, and then the caller of `start` gets the error.
        reject,
      );
    });
    this.entries.set(id, entry);
    this.context.onChange();
    return id;
  }

  /** Returns output since the last poll. A command that has ended is forgotten afterwards. Throws BASH_BACKGROUND_UNKNOWN. */
  poll(id: string): Polled {
    const entry = this.entryOf(id);
    const { command, ended, seconds, started, endedAt = performance.now() } = entry;
    const kept = entry.output.close();
    entry.output = this.context.output();
    entry.unread = 0;
    entry.reading?.resume();
    if (ended) this.entries.delete(id);
    return { command, kept, ended, seconds, durationMs: Math.round(endedAt - started) };
  }

  /** Kills a command and everything it started, then polls it. */
  async stop(id: string): Promise<Polled> {
    await this.end(id);
    return this.poll(id);
  }

  /** The running commands, the oldest first. */
  running(): { id: string; command: string; since: number }[] {
    return [...this.entries].flatMap(([id, { command, since, ended }]) => (ended ? [] : [{ id, command, since }]));
  }

  /** How a command has ended, and its time limit; "running" while it runs, and undefined if it is unknown here. */
  endOf(id: string): { ended: Ended; seconds: number } | "running" | undefined {
    const entry = this.entries.get(id);
    if (!entry) return undefined;
    return entry.ended ? { ended: entry.ended, seconds: entry.seconds } : "running";
  }

  /** Kills a command and everything it started. A poll still returns its last output. Throws BASH_BACKGROUND_UNKNOWN. */
  async end(id: string): Promise<void> {
    const entry = this.entryOf(id);
    entry.control.abort();
    await entry.done;
  }

  /** Removes the files of output that was never polled: nobody knows their paths. */
  close(): void {
    for (const { output } of this.entries.values()) output.discard();
    this.entries.clear();
  }

  private entryOf(id: string): Entry {
    const entry = this.entries.get(id);
    if (entry) return entry;
    const ids = [...this.entries.keys()].join(", ");
    throw errors.BASH_BACKGROUND_UNKNOWN({ id, ids });
  }

  /** Forgets a command that has ended, even if its last output was not read, or throws if all still run. */
  private makeRoom(): void {
    if (this.entries.size < MAX_COMMANDS) return;
    const over = [...this.entries].find(([, { ended }]) => ended);
    if (!over) throw errors.BASH_BACKGROUND_FULL({ limit: MAX_COMMANDS, ids: [...this.entries.keys()].join(", ") });
    over[1].output.discard();
    this.entries.delete(over[0]);
  }
}

function take(entry: Entry, text: string): void {
  entry.output.write(text);
  entry.unread += text.length;
  if (entry.unread > MAX_UNREAD) entry.reading?.pause();
}
