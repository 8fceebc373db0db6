import type { Page, PageParams } from "@scorel/host/contract";
import type { Session } from "@scorel/kernel";
import type { SessionOptions } from "@scorel/workspace/contract";

/** How an artifact was made, according to the plugin that made it; enough to make it again. */
export interface Lineage {
  /** The plugin that saved it. */
  by: string;
  skill?: { name: string; digest: string };
  command?: string;
  /** The inputs that were read, with the hashes of their contents at that time. */
  inputs?: LineageInput[];
  /** The blob list with the record of the run, for repeating it. */
  run?: { sha256: string };
  [more: string]: unknown;
}

/** An input of an artifact's maker. */
export interface LineageInput {
  from: string;
  to: string;
  sha256: string;
  /** Set if the input was an artifact. */
  artifact?: string | undefined;
  version?: number | undefined;
}

/** A version of an artifact, without its bytes. */
export interface ArtifactVersion {
  name: string;
  /** Counted from 0; numbers are never reused. */
  version: number;
  sha256: string;
  /** In bytes. */
  size: number;
  mimeType: string;
  /** Milliseconds since the epoch. */
  savedAt: number;
  lineage?: Lineage;
}

export interface ArtifactContent {
  /**
   * A label, normalised to NFC: 1 to 512 visible characters that do not end in `@` and a number. A name that starts with
   * `user:` belongs to all of the user's sessions.
   */
  name: string;
  content: Buffer;
  mimeType: string;
  lineage?: Lineage;
}

/** The artifacts that a session sees: its own and the user's. */
export interface SessionArtifacts {
  /** Saves an artifact; it is durable when this resolves. Throws ARTIFACT_NAME, ARTIFACT_FILE and BLOB_WRITE. */
  save(artifact: ArtifactContent): Promise<ArtifactVersion>;
  /**
   * The latest or the given version; undefined if the artifact does not exist. Throws ARTIFACT_VERSION, ARTIFACT_LOST and
   * BLOB_DAMAGED.
   */
  load(name: string, version?: number): (ArtifactVersion & { content: Buffer }) | undefined;
  /**
   * A part of a version's bytes. It is not checked: a caller that reads all parts compares the sha256 of the whole.
   * Throws ARTIFACT_LOST.
   */
  part(version: ArtifactVersion, offset: number, length: number): Buffer;
  /** The latest version of each artifact, sorted by name. */
  list(): ArtifactVersion[];
  /** All versions of all artifacts, sorted by name, and oldest first. */
  all(): ArtifactVersion[];
  /** All versions of an artifact, oldest first. */
  versions(name: string): ArtifactVersion[];
  /** Removes an artifact with all its versions from the list. Returns whether it was listed. */
  remove(name: string): Promise<boolean>;
}

export interface ArtifactsService {
  of(session: Session): SessionArtifacts;
}

/** A difference between a replayed run and the original one. */
export interface ReplayChange {
  what: "skill" | "input" | "file" | "variable" | "executor" | "network";
  /** The name of the skill, file or variable. */
  name: string;
  /** A hash, a digest or a name; absent if there is none. */
  before?: string;
  now?: string;
  /** A sentence about the difference. */
  note: string;
}

/** A file that both runs, or one of them, left; hashes are absent when it did not exist. */
export interface ReplayOutput {
  /** Relative to the workspace; files in the run's folder start with `$RUN_DIR/`. */
  name: string;
  before?: string;
  now?: string;
  same: boolean;
  /** Why it differs, if known. */
  note?: string;
  /** A diff of small texts. */
  diff?: string;
}

/** The result of a replay. */
export interface Replay {
  name: string;
  version: number;
  /** Whether the program ended the same way and left the same files. */
  same: boolean;
  exitCode: { before: number; now: number };
  outputs: ReplayOutput[];
  /** Everything that differed from the original run, even if it had no effect. */
  changed: ReplayChange[];
  /** The end of stderr, if the exit code differs. */
  stderr?: string;
  durationMs: number;
  /** The path of the workspace, if it was kept. */
  workspace?: string;
}

/** An artifact with its inputs, and recursively theirs. */
export interface LineageTree {
  artifact: ArtifactVersion;
  /** Set if the artifact appears elsewhere with its inputs, no further down than here, so that they are left out here. */
  again?: true;
  /** Set where the lineage ends because it is nested too deeply, or has more than 10,000 artifacts and inputs. */
  cut?: true;
  inputs: (LineageInput & {
    /** Set if the input was a known artifact of this session or of the user. */
    made?: LineageTree;
  })[];
}

declare module "@scorel/kernel" {
  interface Services {
    artifacts: ArtifactsService;
  }
  interface Events {
    /** A version of an artifact was saved; its bytes are the blob with that hash. */
    artifact: ArtifactVersion;
    /** An artifact was removed from the list. */
    artifact_removed: { name: string };
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    list_artifacts: {
      params: { sessionId: string; name?: string | undefined } & PageParams;
      result: { artifacts: ArtifactVersion[] } & Page;
    };
    /**
     * The bytes in base64. With `length`, only a part from `offset` (default 0), without checking the sha256. Throws
     * ARTIFACT_UNKNOWN and ARTIFACT_VERSION.
     */
    get_artifact: {
      params: {
        sessionId: string;
        name: string;
        version?: number | undefined;
        offset?: number | undefined;
        length?: number | undefined;
      };
      result: ArtifactVersion & { base64: string };
    };
    /** The inputs of an artifact, and recursively their own inputs. Throws ARTIFACT_UNKNOWN and ARTIFACT_VERSION. */
    get_lineage: {
      params: { sessionId: string; name: string; version?: number | undefined };
      result: LineageTree;
    };
    /**
     * Repeats the run that made an artifact, in a new workspace of an unsaved session, and compares the results. Throws
     * ARTIFACT_UNKNOWN, ARTIFACT_VERSION, ARTIFACT_NO_REPLAY and errors of the maker.
     */
    replay_artifact: {
      params: {
        sessionId: string;
        name: string;
        version?: number | undefined;
        /** The executor, overriding the configuration. */
        sandbox?: SessionOptions["sandbox"];
        /** Keeps the workspace. */
        keep?: boolean | undefined;
      };
      result: Replay;
    };
    /** Called by `replay_artifact` for the plugin that made the artifact, in the unsaved session `sessionId`. */
    make_again: {
      params: { sessionId: string; artifact: ArtifactVersion; keep?: boolean | undefined };
      result: Replay;
    };
    /** Throws ARTIFACT_UNKNOWN. */
    remove_artifact: { params: { sessionId: string; name: string }; result: { name: string } };
  }
}
