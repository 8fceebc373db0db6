import type {} from "@scorel/blobs/contract";
import type {} from "@scorel/host/contract";

/** What is at a path. */
export type FileState =
  /** No file: nothing, or a folder. */
  | { kind: "absent" }
  /** `sha256` names its content, whether or not a blob keeps it; `mode` are the permission bits. */
  | { kind: "file"; mode: number; size: number; sha256: string; binary?: true }
  | { kind: "symlink"; target: string }
  /** Something whose content was not looked at, and why. */
  | { kind: "uncovered"; mode: number; size: number; reason: string };

/** One file as a checkpoint knows it; the path is relative to the project's root, with `/`. */
export interface CheckpointFile {
  path: string;
  before?: FileState;
  after?: FileState;
}
export interface NotCovered {
  /** `.` for the project as a whole. */
  path: string;
  reason: string;
}
/** The data of a `custom` event of the kind `checkpoint`. */
export interface Checkpoint {
  v: 1;
  hidden: true;
  /** The calls that did it; when they have ended already, it belongs before the last of their results. */
  calls: string[];
  files: CheckpointFile[];
  notCovered: NotCovered[];
  /** It is a restore, to what the files were at this event. */
  restored?: string;
}

export interface FileChange {
  path: string;
  /** What happens to the file. */
  kind: "created" | "deleted" | "modified" | "mode";
  /** Unified, of text that is known on both sides. */
  diff?: string;
  /** Why it is not overwritten unless told. */
  conflict?: string;
}
export interface Preview {
  changes: FileChange[];
  notCovered: NotCovered[];
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** What `restore_files` would do. The target is any event of the conversation. */
    preview_files: { params: { sessionId: string; targetEventId: string }; result: Preview };
    /**
     * Makes the files what they were at an event, earlier or later: those that this session's tools have changed, no
     * others. A file that someone else has changed since is left alone unless `overwrite`. Throws CHECKPOINT_TARGET,
     * CHECKPOINT_BUSY and CHECKPOINT_FOREIGN.
     */
    restore_files: {
      params: { sessionId: string; targetEventId: string; overwrite?: boolean | undefined };
      result: { restored: string[]; skipped: NotCovered[] };
    };
    /** How the files differ from what they were before this session's tools changed them. */
    list_changes: { params: { sessionId: string }; result: Preview };
  }
}
