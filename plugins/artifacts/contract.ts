import type { Session } from "@scorel/kernel";
import type { SessionOptions } from "@scorel/workspace/contract";

/** What a thing was made of, by whoever made it; enough to make it again. */
export interface Lineage {
  /** The plugin that saved it. */
  by: string;
  skill?: { name: string; digest: string };
  command?: string;
  /** What its maker read, by the content it had then. */
  inputs?: LineageInput[];
  /** A list among the blobs that says how it was run: enough to run it again. */
  run?: { sha256: string };
  [more: string]: unknown;
}

/** Something that the maker of an artifact read. */
export interface LineageInput {
  from: string;
  to: string;
  sha256: string;
  /** When it was an artifact, and which version. */
  artifact?: string | undefined;
  version?: number | undefined;
}

/** One version of an artifact: what is known of it without its bytes. */
export interface ArtifactVersion {
  name: string;
  /** Counted from 0; a number is never given twice. */
  version: number;
  sha256: string;
  /** Bytes. */
  size: number;
  mimeType: string;
  /** Milliseconds since the epoch. */
  savedAt: number;
  lineage?: Lineage;
}

export interface ArtifactContent {
  /**
   * A label, kept in its composed form (NFC): 1 to 512 characters, none that is invisible, without an `@` and a number at its
   * end; `user:` at the beginning makes it one of all the user's sessions.
   */
  name: string;
  content: Buffer;
  mimeType: string;
  lineage?: Lineage;
}

/** The artifacts that a session sees: its own, and the user's. */
export interface SessionArtifacts {
  /** On disk for good when it resolves. Throws ARTIFACT_NAME, ARTIFACT_FILE and BLOB_WRITE. */
  save(artifact: ArtifactContent): Promise<ArtifactVersion>;
  /** The latest version, or that one; undefined without the artifact. Throws ARTIFACT_VERSION, ARTIFACT_LOST, BLOB_DAMAGED. */
  load(name: string, version?: number): (ArtifactVersion & { content: Buffer }) | undefined;
  /** A part of a version's bytes, not proved: whoever reads all of them compares their sha256. Throws ARTIFACT_LOST. */
  part(version: ArtifactVersion, offset: number, length: number): Buffer;
  /** The latest version of each, by name. */
  list(): ArtifactVersion[];
  /** All versions of one, the first one first. */
  versions(name: string): ArtifactVersion[];
  /** Takes it off the list with all its versions; answers whether it was on it. */
  remove(name: string): Promise<boolean>;
}

export interface ArtifactsService {
  of(session: Session): SessionArtifacts;
}

/** Something about a run that was made again which is not as it was then. */
export interface ReplayChange {
  what: "skill" | "input" | "file" | "variable" | "executor" | "network";
  /** Of the skill, the file's place, the variable. */
  name: string;
  /** A hash, a digest or a name; absent for what was not there, or is not told. */
  before?: string;
  now?: string;
  /** As a sentence. */
  note: string;
}

/** A file that a run left, then and now, by its sha256; absent when it was not there. */
export interface ReplayOutput {
  /** Below the workspace; `$RUN_DIR/` in the run's own folder. */
  name: string;
  before?: string;
  now?: string;
  same: boolean;
  /** Why it differs, where that can be told. */
  note?: string;
  /** Of small texts. */
  diff?: string;
}

/** What became of running a program again. */
export interface Replay {
  name: string;
  version: number;
  /** The program ended as it did then, and left the same files. */
  same: boolean;
  exitCode: { before: number; now: number };
  outputs: ReplayOutput[];
  /** What was not as it was then, whether or not it mattered. */
  changed: ReplayChange[];
  /** The end of what the program said on stderr, when it ended otherwise. */
  stderr?: string;
  durationMs: number;
  /** Where its workspace lies, when it was to be kept. */
  workspace?: string;
}

/** An artifact with what it was made of, and that with what it was made of. */
export interface LineageTree {
  artifact: ArtifactVersion;
  /** It stands further up with its inputs, which are left out here. */
  again?: true;
  inputs: (LineageInput & {
    /** There when the input was an artifact of this session or of the user's that is still known. */
    made?: LineageTree;
  })[];
}

declare module "@scorel/kernel" {
  interface Services {
    artifacts: ArtifactsService;
  }
  interface Events {
    /** A version of an artifact was saved; its bytes are the blob of that hash. */
    artifact: ArtifactVersion;
    /** An artifact was taken off the list. */
    artifact_removed: { name: string };
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    list_artifacts: {
      params: { sessionId: string; name?: string | undefined };
      result: { artifacts: ArtifactVersion[] };
    };
    /**
     * The bytes in base64; with `length` that part of them from `offset` (default 0) on, not proved to have the sha256. Throws
     * ARTIFACT_UNKNOWN, ARTIFACT_VERSION.
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
    /** What an artifact was made of, down to the first. Throws ARTIFACT_UNKNOWN, ARTIFACT_VERSION. */
    get_lineage: {
      params: { sessionId: string; name: string; version?: number | undefined };
      result: LineageTree;
    };
    /**
     * Runs again what made an artifact, in a new workspace of an unsaved session, and compares what it leaves. Throws
     * ARTIFACT_UNKNOWN, ARTIFACT_VERSION, ARTIFACT_NO_REPLAY, and what its maker throws.
     */
    replay_artifact: {
      params: {
        sessionId: string;
        name: string;
        version?: number | undefined;
        /** What the program runs in, instead of what the configuration says. */
        sandbox?: SessionOptions["sandbox"];
        /** Leaves the workspace. */
        keep?: boolean | undefined;
      };
      result: Replay;
    };
    /** What `replay_artifact` asks of the session plugin that made the artifact, in the unsaved session `sessionId`. */
    make_again: {
      params: { sessionId: string; artifact: ArtifactVersion; keep?: boolean | undefined };
      result: Replay;
    };
    /** Throws ARTIFACT_UNKNOWN. */
    remove_artifact: { params: { sessionId: string; name: string }; result: { name: string } };
  }
}
