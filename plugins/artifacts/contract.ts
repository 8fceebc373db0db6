import type {} from "@scorel/host/contract";
import type { Session } from "@scorel/kernel";

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
  /** 1 to 512 characters, none that is invisible; `user:` at the beginning makes it one of all the user's sessions. */
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
    /** The bytes in base64. Throws ARTIFACT_UNKNOWN, ARTIFACT_VERSION. */
    get_artifact: {
      params: { sessionId: string; name: string; version?: number | undefined };
      result: ArtifactVersion & { base64: string };
    };
    /** Throws ARTIFACT_UNKNOWN. */
    remove_artifact: { params: { sessionId: string; name: string }; result: { name: string } };
  }
}
