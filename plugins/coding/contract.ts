/** A range of bytes; the end is exclusive. */
export type ByteRange = readonly [from: number, to: number];

/** The bytes that the model has seen, of one version of a file. */
export interface FileCoverage {
  /** The sha256 of the file's bytes, in hex. */
  version: string;
  /** Ascending and disjoint. */
  ranges: readonly ByteRange[];
}
/** `details.file` in the result of Read, Edit or Write: the file after the call. */
export interface FileDetails extends FileCoverage {
  /** The real path; bytes that are not UTF-8 are written as `\xHH`. */
  path: string;
}

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

declare module "@scorel/kernel" {
  interface Projections {
    /** Maps real paths to what the model has seen on this path; a compaction clears it. */
    fileCoverage: Readonly<Record<string, FileCoverage>>;
    /** The model's todo list, as last written. */
    todos: readonly Todo[];
  }
}
