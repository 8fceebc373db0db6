import type { ImageBlock, TextBlock } from "@scorel/messages/contract";

/** A file or folder that a search has found, or a suggestion of a `MentionSource`. */
export interface FoundFile {
  /** The path relative to the session's directory, with slashes. For the kind `other`, the text to write after the `@`. */
  path: string;
  kind: "file" | "folder" | "other";
  /** Indices of the characters of `path` that match the query, for marking them. */
  matches: number[];
}

/** A source of things other than files that a message can mention with `@`, such as `@server:uri`. */
export interface MentionSource {
  /** Whether the text after the `@` belongs to this source. Must be fast, since it is called for each mention. */
  takes(mentioned: string): boolean;
  /** Returns the texts that can be written after the `@`. Must be fast, since it is called while the user types. */
  suggest?(): readonly string[];
  /** Returns the blocks to send to the model. The message of a thrown error says why nothing is attached. */
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
     * Searches for files and folders of the session's directory by parts of their paths, the best match first; an empty query returns
     * those at the top. Suggestions of other sources, such as `server:uri`, are searched, too, and have the kind `other`. Files that git
     * ignores or that may not be read are left out. `limit`: at most 200, default 20. `total` is the number of files and folders; `cut`
     * says that there are more than are searched. With `partial`, returns matches among the names read so far; `reading` says that there
     * may be more, so that the client should ask again.
     */
    find_files: {
      params: { sessionId: string; query: string; limit?: number | undefined; partial?: boolean | undefined };
      result: { files: FoundFile[]; total: number; cut?: true; reading?: true };
    };
    /**
     * Returns the text of a project file for display, without secrets. Only files that the tool Read may show without a question are
     * allowed. `path` is relative to the session's directory, or absolute; the result's `path` is relative to the project. Instead of the
     * text, `problem` says that the file is larger than 1 MiB, or is no text. Throws MENTIONS_OUTSIDE, MENTIONS_CLOSED and MENTIONS_NONE.
     */
    view_file: {
      params: { sessionId: string; path: string };
      result: { path: string; bytes: number; text?: string; problem?: "large" | "binary" };
    };
  }
}
