/** Bytes of a file, from the first to before the second. */
export type ByteRange = readonly [from: number, to: number];

/** Which bytes of which version of a file the model has seen. */
export interface FileCoverage {
  /** sha256 of the file's bytes, in hex. */
  version: string;
  /** Ascending, apart from each other. */
  ranges: readonly ByteRange[];
}
/** `details.file` of a Read, Edit or Write result: the file after the call. */
export interface FileDetails extends FileCoverage {
  /** The real path; bytes of a name that are no UTF-8 as `\xHH`. */
  path: string;
}

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

declare module "@scorel/kernel" {
  interface Projections {
    /** Real path -> what the model on this path has seen of it; a summary of the conversation forgets all. */
    fileCoverage: Readonly<Record<string, FileCoverage>>;
    /** The model's own list of work, as last written. */
    todos: readonly Todo[];
  }
}
