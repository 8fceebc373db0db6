import type { BlobStore } from "@scorel/blobs/contract";
import { codeOf } from "@scorel/kernel";
import { sizeText } from "@scorel/kit/text/size";
import type { FileState } from "../contract.ts";
import { kept, stateOf, tooLarge } from "./observe.ts";
import { Pack } from "./pack.ts";

/** The largest file whose content is read, in bytes, and how many bytes a turn may add. */
export interface Limits {
  maxFileBytes: number;
  maxTurnBytes: number;
}

/** Stores file contents within the limits: permanently as blobs if the log refers to them, otherwise for the session. */
export class Keeper {
  readonly limits: Limits;
  private readonly blobs: BlobStore;
  private readonly pack = new Pack();
  private added = 0;

  constructor(blobs: BlobStore, limits: Limits) {
    this.blobs = blobs;
    this.limits = limits;
  }

  newTurn(): void {
    this.added = 0;
  }

  /** Whether a file of this size that is not stored yet may be stored now. */
  fits(size: number): boolean {
    return size <= this.limits.maxFileBytes && this.added + size <= this.limits.maxTurnBytes;
  }

  /** Stores bytes permanently, within the turn's limit, and returns the file's state. */
  keep(bytes: Buffer, mode: number): FileState {
    const state = stateOf(bytes, mode);
    const isNew = !this.blobs.has(state.sha256) && !this.pack.has(state.sha256);
    return this.take(state, isNew, () => this.blobs.put(bytes));
  }

  /** Like `keep`, for bytes that are not on the disk, so that their size was not checked before. Never throws. */
  keepUnsaved(bytes: Buffer, mode: number): FileState {
    const { maxFileBytes } = this.limits;
    const { length: size } = bytes;
    if (size > maxFileBytes) return { kind: "uncovered", mode, size, reason: tooLarge(maxFileBytes) };
    return kept(bytes, mode, (given) => this.keep(given, mode));
  }

  /** Stores bytes for as long as the session is open; `store` makes them permanent. */
  hold(bytes: Buffer, mode: number): FileState {
    const state = stateOf(bytes, mode);
    if (this.pack.has(state.sha256)) return state;
    if (this.pack.size + bytes.length <= this.limits.maxTurnBytes)
      return this.take(state, true, () => this.putInPack(state.sha256, bytes));
    return this.take(state, !this.blobs.has(state.sha256), () => this.blobs.put(bytes));
  }

  /** Makes a held content permanent. Returns its state, with a reason if the content is lost. */
  store(state: FileState): FileState {
    if (state.kind !== "file" || !this.pack.has(state.sha256)) return state;
    const { mode, size } = state;
    const lost = (reason: string): FileState => ({ kind: "uncovered", mode, size, reason });
    try {
      const hash = this.blobs.put(this.pack.read(state.sha256) as Buffer);
      return hash === state.sha256 ? state : lost("its copy was damaged");
    } catch (thrown) {
      return lost(`it could not be kept (${codeOf(thrown)})`);
    }
  }

  close(): void {
    this.pack.close();
  }

  /** Falls back to a blob if the temporary folder is full or missing. */
  private putInPack(sha256: string, bytes: Buffer): void {
    try {
      this.pack.add(sha256, bytes);
    } catch {
      this.blobs.put(bytes);
    }
  }

  private take(state: Extract<FileState, { kind: "file" }>, isNew: boolean, put: () => void): FileState {
    const { mode, size } = state;
    if (isNew && this.added + size > this.limits.maxTurnBytes)
      return { kind: "uncovered", mode, size, reason: `over ${sizeText(this.limits.maxTurnBytes)} in one turn` };
    put();
    if (isNew) this.added += size;
    return state;
  }
}
