/**
 * `ask`: reading is free, everything else asks. `edits`: Write and Edit in the project are free too. `full`: everything is,
 * but for what a rule denies or asks about. `plan`: only reading.
 */
export type Mode = "ask" | "edits" | "full" | "plan";

/** The data of an `approval_request` for a tool call: the host's own state, not the words of a model. */
export interface CallRequest {
  toolCallId: string;
  tool: string;
  /** What the tool gets. */
  args: unknown;
  /** What `s` and `a` would allow from then on; empty when no rule can say it. */
  rules: string[];
}

export interface PermissionsService {
  /**
   * Which files below a folder (a real path) a search has to leave out, by their real paths: those that may not be read without
   * a question. `shows`: whether it shows their names only, or what is in them.
   */
  hiddenIn(folder: string, shows: "names" | "contents"): Promise<(path: string) => boolean>;
  /**
   * The paths that a call was approved to read, as its tool named them then; undefined where the call was not judged by them.
   * A tool holds what it has opened against them: a link may lead elsewhere since. They are answered once.
   */
  takeReads(toolCallId: string): readonly string[] | undefined;
}

declare module "@scorel/kernel" {
  interface Services {
    permissions: PermissionsService;
  }
  interface Events {
    /** The session works in another mode from now on. */
    permission_mode: { mode: Mode };
  }
  interface Transients {
    /** A call was not run, and nobody was asked; `rules` would allow it, when rules can. */
    permission_denied: { tool: string; what: string; rules: string[] };
  }
  interface Projections {
    /** The mode that was chosen last in the session, if one was. */
    permissionMode: { mode?: Mode };
    /** Whether the model on this path was told that it plans. */
    permissionTold: { planning: boolean };
  }
}
