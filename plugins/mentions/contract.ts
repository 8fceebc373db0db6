import type { ImageBlock, TextBlock } from "@scorel/messages/contract";

/** A file or folder that a search has found, or what a source of mentions suggests. */
export interface FoundFile {
  /** Relative to the session's directory, with slashes. Of the kind `other`: what to write after the `@`. */
  path: string;
  kind: "file" | "folder" | "other";
  /** Indices of the characters of `path` that the query has matched, for marking them. */
  matches: number[];
}

/** Something else than files that a message can mention with `@`, such as `@server:uri`. */
export interface MentionSource {
  /** Whether the text after the `@` is for this source. It is called for each mention, so it must be quick. */
  takes(mentioned: string): boolean;
  /** What can be mentioned, as it is written after the `@`. It is called while a person types, so it must be quick. */
  suggest?(): readonly string[];
  /** What the model gets for it. What is thrown says why nothing is attached. */
  attach(mentioned: string, signal?: AbortSignal): Promise<readonly (TextBlock | ImageBlock)[]>;
}

declare module "@scorel/kernel" {
  interface Contributions {
    mentionSources: readonly MentionSource[];
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Searches for files and folders of the session's directory by parts of their paths, best first; with an empty query, those at
     * the top. What else a message can mention, such as `server:uri`, is found by parts of it, too, as the kind `other`. Leaves out what git ignores and what may not be read. `limit`: at most 200, default 20. `total` is how many files
     * and folders there are; `cut` says that there are more than are searched. With `partial`, it does not wait until all names are
     * read: it answers with what fits of those that are known, and `reading` says that there may be more, for which one asks again.
     */
    find_files: {
      params: { sessionId: string; query: string; limit?: number | undefined; partial?: boolean | undefined };
      result: { files: FoundFile[]; total: number; cut?: true; reading?: true };
    };
    /**
     * Returns the text of a file of the project, for a person to read: what the tool Read may show without a question, with keys removed. `path` is
     * relative to the session's directory, or absolute; the result's is relative to the project. Instead of the text, `problem` says that the
     * file is larger than 1 MiB, or is no text. Throws MENTIONS_OUTSIDE, MENTIONS_CLOSED and MENTIONS_NONE.
     */
    view_file: {
      params: { sessionId: string; path: string };
      result: { path: string; bytes: number; text?: string; problem?: "large" | "binary" };
    };
  }
}
