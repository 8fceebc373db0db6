import type { PluginContext } from "@scorel/kernel";
import type { Workspace } from "@scorel/workspace/contract";
import type { Entry } from "./find/ranking.ts";

/** The files and folders of the session's directory. */
export interface FileList {
  readonly entries: readonly Entry[];
  /** There are more than are listed. */
  readonly isCut: boolean;
  /** Names are being read, so that more may be found soon. */
  readonly isReading: boolean;
  /** The names were read a moment ago. */
  readonly isFresh: boolean;
  /**
   * Resolves when there is a list, which may be a few seconds old; it is then renewed in the background. Rejects, also for a moment after
   * a first list could not be made.
   */
  ready(): Promise<void>;
  /** Lists the files again. */
  refresh(): Promise<void>;
}

/** What the parts of this plugin share. */
export interface Mentions {
  readonly ctx: PluginContext<unknown, "files">;
  readonly index: FileList;
  workspace(): Pick<Workspace, "cwd" | "root" | "home">;
}
