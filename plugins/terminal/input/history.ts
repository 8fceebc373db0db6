import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { userDir } from "@scorel/kit/files/home";
import { takeLock } from "@scorel/kit/files/lock";
import { replaceFile } from "@scorel/kit/files/private";
import { makePrivateFolder } from "@scorel/kit/files/private-folder";
import type { Attachment, FieldMode } from "../parts.ts";
import { isImagePath } from "./dropped-image.ts";
import { readOwnFile } from "./own-file.ts";
import { cleanText } from "./paste.ts";

/** An entry of the history: text that the user has sent, and its mode. */
export interface Sent {
  mode: FieldMode;
  text: string;
  /** A shell line that is hidden from the model (`!!`). */
  silent?: true;
  /** The attachments of the message. Kept only in this process, and only for the latest messages with pictures. */
  attachments?: readonly Attachment[];
}

/** Bytes of the file above which the oldest texts are dropped, and the bytes that are kept then. */
const MOST_BYTES = 2_000_000;
const KEPT_BYTES = 1_000_000;
const KEPT_TEXTS = 1_000;
/** The most characters of an entry in the history. Longer ones can still be found in the conversation. */
const LONGEST_TEXT = 100_000;
/** The messages whose pictures are kept. */
const KEPT_PICTURES = 10;
const LOCK_MS = 2_000;
const MODES: readonly unknown[] = ["message", "command", "shell"] satisfies FieldMode[];

/** The file with the texts that were sent in a project, from all its terminals. `project` is the path of its folder. */
export function historyFile(project: string): string {
  return join(userDir(), "prompts", `${sha256Of(project).slice(0, 32)}.jsonl`);
}

/** The texts that the user has sent in a project, in this process and others, the newest last. */
export class History {
  private readonly path: string;
  private readonly redact: (text: string) => string;
  private read = { stamp: "", sent: [] as readonly Sent[] };
  /** Texts of this process that could not be written to the file. */
  private unwritten: Sent[] = [];
  /** The pictures of the latest messages of this process that had some, by the keys of the messages. */
  private pictures = new Map<string, readonly Attachment[]>();

  /** `redact` removes known secrets from text before it is written. */
  constructor(path: string, redact: (text: string) => string = (text) => text) {
    this.path = path;
    this.redact = redact;
  }

  /** Throws file system errors. */
  all(): readonly Sent[] {
    const stat = lstatSync(this.path, { throwIfNoEntry: false });
    const stamp = stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : "";
    if (stamp !== this.read.stamp) this.read = { stamp, sent: stat ? readTexts(this.path) : [] };
    return [...this.read.sent, ...this.unwritten];
  }

  /** Adds an entry, unless it is the same as the last one. Throws file system errors; this process keeps the entry anyway. */
  async add({ mode, text, silent, attachments = [] }: Sent): Promise<void> {
    const sent: Sent = { mode, text: this.redact(text), ...(silent && { silent }) };
    if (sent.text.trim() === "" || sent.text.length > LONGEST_TEXT) return;
    this.keepPictures(keyOf(sent), attachments.filter(isPicture));
    this.unwritten.push(sent);
    makePrivateFolder(dirname(this.path));
    const lock = await takeLock(`${this.path}.lock`, LOCK_MS);
    if (!lock) return;
    try {
      const last = readTexts(this.path).at(-1);
      if (!last || keyOf(last) !== keyOf(sent)) append(this.path, `${JSON.stringify(sent)}\n`);
      this.unwritten = this.unwritten.filter((each) => each !== sent);
    } finally {
      lock.release();
    }
  }

  /** The entry with the pictures that were sent with it here. The same marks in another text stand for other pictures. */
  withPictures(sent: Sent): Sent {
    const attachments = this.pictures.get(keyOf(sent));
    return attachments ? { ...sent, attachments } : sent;
  }

  private keepPictures(key: string, attachments: readonly Attachment[]): void {
    this.pictures.delete(key);
    if (attachments.length > 0) this.pictures.set(key, attachments);
    this.pictures = new Map([...this.pictures].slice(-KEPT_PICTURES));
  }
}

function isPicture({ image, path }: Attachment): boolean {
  return image !== undefined || (path !== undefined && isImagePath(path));
}

/** A string that is equal for equal texts in the same mode. */
export function keyOf({ mode, text, silent = undefined }: Sent): string {
  return JSON.stringify([mode, text, silent === true]);
}

/** Appends a line under the file's lock, and drops the oldest lines when the file is too large. Refuses a symbolic link. */
function append(path: string, line: string): void {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  let size: number;
  try {
    fchmodSync(fd, 0o600);
    size = fstatSync(fd).size;
    // A process that was killed may have left half a line.
    writeSync(fd, endsWithLine(fd, size) ? line : `\n${line}`);
  } finally {
    closeSync(fd);
  }
  if (size > MOST_BYTES) replaceFile(path, newestLines(path));
}

function endsWithLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

function newestLines(path: string): string {
  let room = KEPT_BYTES;
  const kept: string[] = [];
  for (const sent of [...readTexts(path)].reverse().slice(0, KEPT_TEXTS)) {
    const line = `${JSON.stringify(sent)}\n`;
    room -= Buffer.byteLength(line);
    if (room < 0) break;
    kept.unshift(line);
  }
  return kept.join("");
}

/** The texts of a file; lines that cannot be read are left out. */
function readTexts(path: string): Sent[] {
  const lines = (readOwnFile(path) ?? "").split("\n").filter(Boolean);
  return lines.flatMap((line) => {
    try {
      const { mode, text, silent } = JSON.parse(line) as Partial<Sent>;
      if (!MODES.includes(mode) || typeof text !== "string") return [];
      return [{ mode, text: cleanText(text), ...(silent === true && { silent }) } as Sent];
    } catch {
      return [];
    }
  });
}
