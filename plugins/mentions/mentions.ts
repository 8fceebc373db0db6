import type { PluginContext } from "@scorel/kernel";
import type { Workspace } from "@scorel/workspace/contract";
import type { Entry } from "./find/ranking.ts";

/** The files and folders of the session's directory. */
export interface FileList {
  readonly entries: readonly Entry[];
  /** Whether there are more than are listed. */
  readonly isCut: boolean;
  /** Whether the files are being listed, so that more may be found soon. */
  readonly isReading: boolean;
  /** Whether the last listing has ended a moment ago. */
  readonly isFresh: boolean;
  /**
   * Resolves when there is a list. It may be a few seconds old; then it is updated in the background. Rejects if the first listing fails, and
   * for a moment after that.
   */
  ready(): Promise<void>;
  /** Lists the files again. */
  refresh(): Promise<void>;
}

/** The objects that the parts of this plugin share. */
export interface Mentions {
  readonly ctx: PluginContext<unknown, "files">;
  readonly index: FileList;
  workspace(): Pick<Workspace, "cwd" | "root" | "home">;
}
