import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { userDir } from "@scorel/kit/files/home";
import { type Lock, tryLock } from "@scorel/kit/files/lock";
import { removeIfPresent, replaceFile } from "@scorel/kit/files/private";
import { makePrivateFolder } from "@scorel/kit/files/private-folder";
import { messageOf } from "@scorel/kit/values/coded-error";
import type { Later } from "./decoder.ts";
import { DraftAttachments } from "./draft-attachments.ts";
import { jsonOf, type Unsent, unsentOf, withoutArrived } from "./draft-content.ts";
import { readOwnFile } from "./own-file.ts";

/** Milliseconds between two writes, and so the most typing that a killed process loses. */
const EVERY_MS = 500;
/** The most terminals that can each keep a draft of the same session at the same time. */
const TERMINALS = 8;

/** The draft of a field on the disk. */
export interface Draft {
  /** The text that an earlier process left. */
  readonly saved: Unsent | undefined;
  /** Writes the text within `EVERY_MS`, or now. An empty text removes the draft at once, because it was sent. */
  change(unsent: Unsent, isNow?: boolean): void;
  /** Removes the draft, because its text is kept elsewhere. */
  clear(): void;
  /** Writes what is not written yet, and releases the draft to the next process. */
  close(): void;
}

export interface DraftOptions {
  later?: Later;
  /** Called with the reason when the draft cannot be written, at most once. */
  tell?: (problem: string) => void;
  /** Whether the field has text already. Then a draft that an earlier process left is kept for the next process, not replaced. */
  hasText?: boolean;
  /** Whether the message with this id has reached the host. It is then left out of `saved`. Default: none has. */
  hasArrived?: (messageId: string) => boolean;
}

/** The path of a session's draft. Without a `sessionId`, for a session in which nothing was said yet, that of the project's draft. */
export function draftFile(project: string, sessionId: string | undefined): string {
  return join(userDir(), "drafts", `${sha256Of(JSON.stringify([project, sessionId ?? null])).slice(0, 32)}.json`);
}

/**
 * Opens the draft at a path. It is locked by this process until it is closed or the process ends. If another process has it locked, a
 * path beside it is used. Drafts with text that ended processes have left are preferred.
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

/** Locks a place for a draft that no running process has: with `isEmpty`, one without text, else one with text; any if there is none. */
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
  private readonly attachments: DraftAttachments;
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
    this.attachments = new DraftAttachments(path);
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
    this.guarded(() => this.remove());
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
    const found = unsentOf(readOwnFile(this.path), this.attachments);
    const left = found && withoutArrived(found, hasArrived);
    if (left?.text !== "") return left;
    this.remove();
    return undefined;
  }

  private remove(): void {
    removeIfPresent(this.path);
    this.attachments.keepOnly([]);
  }

  private write(): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting?.text === "") this.clear();
    else if (waiting) this.guarded(() => this.replace(waiting));
  }

  private replace(unsent: Unsent): void {
    const attachments = this.attachments.store(unsent.attachments);
    const doubtful = (unsent.doubtful ?? []).map((message) => {
      return { ...message, attachments: this.attachments.store(message.attachments) };
    });
    replaceFile(this.path, jsonOf(unsent, { attachments, doubtful }));
    this.attachments.keepOnly([...attachments, ...doubtful.flatMap((message) => message.attachments)]);
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

/** A timer that does not keep the process running: the draft is written at its exit, too. */
const laterUnref: Later = (work, ms) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
