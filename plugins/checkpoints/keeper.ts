import type { BlobStore } from "@scorel/blobs/contract";
import { codeOf } from "@scorel/kernel";
import type { FileState } from "./contract.ts";
import { inWords, stateOf } from "./observe.ts";
import { Pack } from "./pack.ts";

/** Bytes of a file above which its content is not looked at, and those that a turn may add to what is kept. */
export interface Limits {
  maxFileBytes: number;
  maxTurnBytes: number;
}

/** Keeps contents, a turn's worth of them: for good what the log names, and for this session what may still change. */
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

  /** Whether a file of this size, not kept before, may be kept now. */
  fits(size: number): boolean {
    return size <= this.limits.maxFileBytes && this.added + size <= this.limits.maxTurnBytes;
  }

  /** Answers the state of a file with these bytes, which are kept for good; over the turn's limit they are not. */
  keep(bytes: Buffer, mode: number): FileState {
    const state = stateOf(bytes, mode);
    const isNew = !this.blobs.has(state.sha256) && !this.pack.has(state.sha256);
    return this.take(state, isNew, () => this.blobs.put(bytes));
  }

  /** The same for as long as the session is open: `store` keeps them for good. */
  hold(bytes: Buffer, mode: number): FileState {
    const state = stateOf(bytes, mode);
    if (this.pack.has(state.sha256)) return state;
    if (this.pack.size + bytes.length <= this.limits.maxTurnBytes)
      return this.take(state, true, () => this.putInPack(state.sha256, bytes));
    return this.take(state, !this.blobs.has(state.sha256), () => this.blobs.put(bytes));
  }

  /** Keeps for good what is held; answers the state, or why its content is lost. */
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

  /** The folder for temporary files may be full, or missing. */
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
      return { kind: "uncovered", mode, size, reason: `over ${inWords(this.limits.maxTurnBytes)} in one turn` };
    put();
    if (isNew) this.added += size;
    return state;
  }
}
