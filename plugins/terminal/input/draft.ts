import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { userDir } from "@scorel/kit/files/home";
import { type Lock, tryLock } from "@scorel/kit/files/lock";
import { removeIfPresent, replaceFile } from "@scorel/kit/files/private";
import { makePrivateFolder } from "@scorel/kit/files/private-folder";
import { messageOf } from "@scorel/kit/values/coded-error";
import type { Later } from "./decoder.ts";
import { readOwnFile } from "./own-file.ts";
import { marksIn, type Pastes } from "./paste.ts";

/** Milliseconds between two writes, and so the typing that a killed process may lose. */
const EVERY_MS = 500;
/** Terminals that may write in one session at the same time and keep a draft each. */
const TERMINALS = 8;

/** A text that was not sent, with its long pastes. A command or shell line begins with its mark. */
export interface Unsent {
  text: string;
  pastes: Pastes;
  /** The parts of the text that were sent, and of which nobody knew whether the host has them. */
  doubtful?: readonly Doubtful[];
}

/** A message that may have arrived. */
export interface Doubtful {
  messageId: string;
  text: string;
}

/** The draft of a field on the disk. */
export interface Draft {
  /** What an earlier process left. */
  readonly saved: Unsent | undefined;
  /** Writes the text soon, or now. An empty text removes the draft at once, because it was sent. */
  change(unsent: Unsent, isNow?: boolean): void;
  /** Removes the draft, because its text is kept elsewhere. */
  clear(): void;
  /** Writes what is not written yet, and leaves the draft to the next process. */
  close(): void;
}

export interface DraftOptions {
  later?: Later;
  /** Told why the draft cannot be written, at most once. */
  tell?: (problem: string) => void;
  /** The field has text, which must not replace what an earlier process left: that waits for the next one. */
  hasText?: boolean;
  /** Whether a message that was sent with this id has arrived. It does not come back then. Default: none has. */
  hasArrived?: (messageId: string) => boolean;
}

/** The path of a session's draft. A session in which nothing was said yet has no id to come back to, so its project has one draft. */
export function draftFile(project: string, sessionId: string | undefined): string {
  return join(userDir(), "drafts", `${sha256Of(JSON.stringify([project, sessionId ?? null])).slice(0, 32)}.json`);
}

/**
 * Opens the draft at a path, which belongs to this process until it is closed or killed. If another process has it, this one gets
 * one beside it. Drafts that ended processes have left come first.
 */
export function openDraft(path: string, options: DraftOptions = {}): Draft {
  const tell = options.tell ?? (() => {});
  try {
    makePrivateFolder(dirname(path));
    const place = freePlace(path, options.hasText === true);
    if (place) return new FileDraft(place.file, place.lock, { ...options, tell });
  } catch (thrown) {
    tell(messageOf(thrown));
  }
  return { saved: undefined, change() {}, clear() {}, close() {} };
}

interface Place {
  file: string;
  lock: Lock;
}

/** A place for a draft that no running process has: one with what was left there, or an empty one; any other if there is none. */
function freePlace(path: string, isEmpty: boolean): Place | undefined {
  let other: Place | undefined;
  for (let number = 1; number <= TERMINALS; number++) {
    const file = number === 1 ? path : path.replace(/(?=\.json$)/, `-${number}`);
    const isWanted = existsSync(file) !== isEmpty;
    if (other && !isWanted) continue;
    const lock = tryLock(`${file}.lock`);
    if (!lock || !("release" in lock)) continue;
    if (!isWanted) other = { file, lock };
    else {
      other?.lock.release();
      return { file, lock };
    }
  }
  return other;
}

class FileDraft implements Draft {
  readonly saved: Unsent | undefined;
  private readonly path: string;
  private readonly lock: Lock;
  private readonly later: Later;
  private readonly tell: (problem: string) => void;
  private readonly atExit = () => this.close();
  private waiting: Unsent | undefined;
  private stopTimer: (() => void) | undefined;
  private isOpen = true;

  constructor(
    path: string,
    lock: Lock,
    { later = laterUnref, tell, hasArrived = () => false }: DraftOptions & { tell: (problem: string) => void },
  ) {
    this.path = path;
    this.lock = lock;
    this.later = later;
    let told = false;
    this.tell = (problem) => {
      if (!told) tell(problem);
      told = true;
    };
    this.saved = this.guarded(() => this.read(hasArrived));
    process.on("exit", this.atExit);
  }

  change(unsent: Unsent, isNow = false): void {
    if (!this.isOpen) return;
    this.waiting = { ...unsent, pastes: new Map(unsent.pastes) };
    if (this.stopTimer && !isNow) return;
    this.write();
    this.stopTimer?.();
    this.stopTimer = this.later(() => {
      this.stopTimer = undefined;
      if (this.waiting) this.change(this.waiting);
    }, EVERY_MS);
  }

  clear(): void {
    this.waiting = undefined;
    this.guarded(() => removeIfPresent(this.path));
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    process.off("exit", this.atExit);
    this.stopTimer?.();
    this.write();
    this.guarded(() => this.lock.release());
  }

  private read(hasArrived: (messageId: string) => boolean): Unsent | undefined {
    const found = unsentOf(readOwnFile(this.path));
    const left = found && withoutArrived(found, hasArrived);
    if (left?.text !== "") return left;
    removeIfPresent(this.path);
    return undefined;
  }

  private write(): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting?.text === "") this.clear();
    else if (waiting) this.guarded(() => replaceFile(this.path, jsonOf(waiting)));
  }

  private guarded<R>(work: () => R): R | undefined {
    try {
      return work();
    } catch (thrown) {
      this.tell(messageOf(thrown));
      return undefined;
    }
  }
}

/** Does not keep the process running: the draft is written at its exit, too. */
const laterUnref: Later = (work, ms) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

function jsonOf({ text, pastes, doubtful = [] }: Unsent): string {
  const used = new Set(marksIn(text, pastes).map(({ number }) => number));
  const found = doubtful.length === 0 ? {} : { doubtful };
  return JSON.stringify({ text, pastes: [...pastes].filter(([number]) => used.has(number)), ...found });
}

/** The draft without the messages that have arrived. Each is looked for as whole lines, since the text may have been changed. */
function withoutArrived({ text, pastes, doubtful = [] }: Unsent, hasArrived: (messageId: string) => boolean): Unsent {
  const arrived = doubtful.filter(({ messageId }) => hasArrived(messageId));
  const left = arrived.reduce((all, message) => withoutLines(all, message.text), text);
  return { text: left, pastes };
}

function withoutLines(text: string, gone: string): string {
  const at = `\n${text}\n`.indexOf(`\n${gone}\n`);
  if (at < 0) return text;
  const [before, after] = [text.slice(0, at), text.slice(at + gone.length)];
  return after === "" ? before.replace(/\n+$/, "") : before + after.replace(/^\n+/, "");
}

/** Reads a draft; a damaged one counts as none. */
function unsentOf(json: string | undefined): Unsent | undefined {
  if (json === undefined) return undefined;
  try {
    const { text, pastes, doubtful = [] } = JSON.parse(json) as Record<string, unknown>;
    if (typeof text !== "string" || !Array.isArray(pastes) || !pastes.every(isPaste)) return undefined;
    return { text, pastes: new Map(pastes), doubtful: Array.isArray(doubtful) ? doubtful.filter(isDoubtful) : [] };
  } catch {
    return undefined;
  }
}

function isPaste(value: unknown): value is [number, string] {
  return Array.isArray(value) && Number.isSafeInteger(value[0]) && typeof value[1] === "string";
}

function isDoubtful(value: unknown): value is Doubtful {
  const { messageId, text } = (value ?? {}) as Partial<Doubtful>;
  return typeof messageId === "string" && typeof text === "string";
}
