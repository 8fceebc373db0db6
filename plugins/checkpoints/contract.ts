import type {} from "@scorel/blobs/contract";
import type { Cut, Page, PageParams } from "@scorel/host/contract";

/** The state of a path. */
export type FileState =
  /** No file: nothing, or a folder. */
  | { kind: "absent" }
  /** A regular file. `sha256` is its content, whether or not it is stored as a blob; `mode` has the permission bits. */
  | { kind: "file"; mode: number; size: number; sha256: string; binary?: true }
  | { kind: "symlink"; target: string }
  /** Something whose content was not read, with the reason. */
  | { kind: "uncovered"; mode: number; size: number; reason: string };

/** A file in a checkpoint. The path is relative to the project's root, with `/`. */
export interface CheckpointFile {
  path: string;
  before?: FileState;
  after?: FileState;
}
export interface NotCovered {
  /** `.` for the whole project. */
  path: string;
  reason: string;
}
/** The data of a `custom` event of kind `checkpoint`. */
export interface Checkpoint {
  v: 1;
  hidden: true;
  /** The calls that made the changes. If they have already ended, the checkpoint belongs before the last of their results. */
  calls: string[];
  files: CheckpointFile[];
  notCovered: NotCovered[];
  /** Set while the changes of `calls` are not recorded. A later checkpoint of a call replaces this one for the call. */
  pending?: true;
  /** Set for a restore: the event whose files were restored. */
  restored?: string;
}

export interface FileChange {
  path: string;
  /** The change that a restore makes to the file. */
  kind: "created" | "deleted" | "modified" | "mode";
  /** A unified diff, if both sides are known text. */
  diff?: string;
  /** Why the file is not overwritten by default. */
  conflict?: string;
}
export interface Preview {
  changes: FileChange[];
  notCovered: NotCovered[];
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Returns the changes that `restore_files` would make. The target is any event of the conversation. */
    preview_files: { params: { sessionId: string; targetEventId: string } & PageParams; result: Preview & Page };
    /**
     * Restores files to an earlier or later event. Only files that this session's tools changed are affected. A file that was
     * changed by someone else is skipped unless `overwrite` is set. Throws CHECKPOINT_TARGET, CHECKPOINT_BUSY and
     * CHECKPOINT_FOREIGN.
     */
    restore_files: {
      params: { sessionId: string; targetEventId: string; overwrite?: boolean | undefined };
      result: { restored: string[]; skipped: NotCovered[] } & Cut;
    };
    /** How the files differ from their state before this session's tools changed them. */
    list_changes: { params: { sessionId: string } & PageParams; result: Preview & Page };
  }
}
