/**
 * Which calls run without a question. `ask`: only reading. `edits`: also Write and Edit in the project. `full`: everything,
 * except what a rule denies or asks about. `plan`: only reading; everything else is refused.
 */
export type Mode = "ask" | "edits" | "full" | "plan";

/** The data of an `approval_request` for a tool call. It comes from the host, so a model cannot forge it. */
export interface CallRequest {
  toolCallId: string;
  tool: string;
  /** The arguments that the tool will receive. */
  args: unknown;
  /** The rules that the answers `s` and `a` would add; empty when no rule can describe the call. */
  rules: string[];
  /** For each answer that adds rules for good, the path of the file or folder that keeps them. */
  keptIn?: Readonly<Record<string, string>>;
  /**
   * Id of the event with the reply that contains the call; set when the turn can continue with the answer after the
   * host was restarted.
   */
  reply?: string;
  /** The person who typed the call; absent for a call of the model. */
  typedBy?: { clientId: string; name?: string };
}

export interface PermissionsService {
  /** The session's current mode. In a session with a parent, it is never wider than the parent's. */
  readonly mode: Mode;
  /** The mode that applies when none was chosen for the session. */
  readonly defaultMode: Mode;
  /**
   * Returns a test for files, by real path, that a search below `folder` (a real path) must leave out because reading them
   * needs a question. `shows` says whether the search shows only names or also contents.
   */
  hiddenIn(folder: string, shows: "names" | "contents"): Promise<(path: string) => boolean>;
  /**
   * Judges a reading call that a person's message names, such as a file to attach, without asking anybody. If it is
   * allowed, `takeReads` returns its paths for this id.
   */
  judgeNamed(call: {
    id: string;
    tool: string;
    args: object;
  }): Promise<{ decision: "allow" | "ask" | "deny"; why: string }>;
  /**
   * Returns the paths that a call was approved to read. Each call's paths are returned once; undefined when the call
   * was not judged by paths. A tool compares the files that it opened with these paths, since a link may have changed
   * after the approval.
   */
  takeReads(toolCallId: string): readonly string[] | undefined;
}

declare module "@scorel/kernel" {
  interface Services {
    permissions: PermissionsService;
  }
  interface Events {
    /** The session's mode changed. */
    permission_mode: { mode: Mode };
  }
  interface Transients {
    /**
     * A call was refused because nobody could be asked, or nobody answered. `why` is the reason for the question; `rules`
     * would allow the call, and are empty when no rule can. With `inEveryMode` no permission mode allows it, not even `full`.
     * `locked` is set if a lock excludes `full`: who set the lock, and the mode that may be chosen and allows the call, if there
     * is one. `allowedBy` are other things that the user can do to allow the call, such as options of the command.
     */
    permission_denied: {
      tool: string;
      what: string;
      rules: string[];
      why: string;
      mode: Mode;
      inEveryMode?: true | undefined;
      locked?: { by: string; mode?: Mode | undefined } | undefined;
      allowedBy?: string[] | undefined;
    };
  }
  interface Projections {
    /** The mode that was last chosen in the session, if any. */
    permissionMode: { mode?: Mode };
    /** Whether the model was told, on this path of the history, that the mode is `plan`. */
    permissionTold: { planning: boolean };
  }
}

/** Where a rule that a person has allowed is kept. */
export type RulePlace = "session" | "project" | "everywhere";

declare module "@scorel/host/contract" {
  interface Operations {
    /** Lists the permission modes with what each allows. `unavailable`: a lock or the session's parent does not allow it. */
    list_permission_modes: {
      params: { sessionId: string };
      result: { modes: { mode: Mode; about: string; current?: true | undefined; unavailable?: true | undefined }[] };
    };
    /** Changes the permission mode. Rules of the configuration, such as `deny`, hold in every mode. */
    set_permission: { params: { sessionId: string; mode: Mode }; result: { mode: Mode } };
    /**
     * Removes a rule that allows something from the session and from the user's files, and returns the places that it
     * was removed from. Throws PERMISSIONS_FORGET for an unknown rule, and HOST_FORBIDDEN for a rule in a file if the
     * client is limited to certain sessions.
     */
    forget_rule: { params: { sessionId: string; rule: string }; result: { places: RulePlace[] } };
  }
}

declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /** Permission mode that overrides the configuration. */
    permission?: Mode | undefined;
  }
}
