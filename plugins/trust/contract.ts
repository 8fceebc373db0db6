import type { Invocation } from "@scorel/cli/contract";
import type { Awaitable } from "@scorel/kernel";

/** One thing in a project or preset that Scorel would use. */
export interface TrustItem {
  /**
   * `code` runs with the user's rights; `redirect` sends prompts or keys to another server; `weakens` changes a safety setting
   * of the user; the others decide what is loaded and what the model is told.
   */
  kind:
    | "code"
    | "redirect"
    | "weakens"
    | "setting"
    | "preset"
    | "command"
    | "instructions"
    | "skill"
    | "agent"
    | "other";
  /** One line that says what the item is and what it could do. */
  what: string;
  /** `file:line` in the project. */
  place: string;
  /** The file was trusted before and has not changed since. */
  isKnown?: true;
}

/** A file that differs from what was trusted. */
export interface TrustChange {
  path: string;
  how: "added" | "changed" | "removed";
  /** Removed (`-`) and added (`+`) lines; only for a small text. */
  diff?: string;
}

/** Files of a project or preset that Scorel would use, read once. Accepting trusts exactly the bytes that were read. */
export interface TrustReview {
  /** The path that is trusted: the folder that holds `.scorel`, else the project's root; or a preset's folder or file. */
  path: string;
  /** The folders that were read. */
  folders: readonly string[];
  items: readonly TrustItem[];
  /** The state of each part that is trusted separately, such as the project and the skills nested in it. */
  parts: readonly { folders: readonly string[]; state: "new" | "changed" | "trusted" }[];
  /** The files that differ from what was trusted before; absent when nothing was. */
  changes?: readonly TrustChange[];
  /** The small text files among those that were read, to show to the user. */
  texts(): { path: string; text: string }[];
  /** Records that the user trusts the files that were read. Throws TRUST_FILE. */
  accept(): Promise<void>;
}

/** An extension of the user that appeared or changed while tools ran; it is not loaded until the user confirms it. */
export interface HeldExtension {
  id: string;
  path: string;
  /** The session whose tools ran at that time. */
  sessionId: string;
  /** The files that the user would confirm: path relative to the folder of extensions -> sha256 when it was read. */
  files: Readonly<Record<string, string>>;
}

/** One line of `scorel trust list`: a project, or a preset that is named by its path. */
export interface TrustedProject {
  path: string;
  /** `dev`: trusted whatever its files are; `changed`: differs from what was trusted; `gone`: has nothing to trust. */
  state: "trusted" | "dev" | "changed" | "gone";
  since: string;
}

/** What is trusted on this machine. The loader provides this service to the host kernel. Its methods throw TRUST errors. */
export interface TrustService {
  /**
   * Reviews the project of a directory. Returns undefined when it has nothing to trust, or all of it is trusted, in this run or
   * permanently. With `again`, a project that is already trusted is reviewed, too, and `cwd` may be the path of a preset: its
   * file, or its folder if that is not a project.
   */
  review(cwd: string, again?: boolean): Promise<TrustReview | undefined>;
  /**
   * Writes to stderr, once per process, that the project of a directory is not trusted and what that means. For clients
   * of a host in another process, since such a host writes this only to its log. `cwd` need not be canonical.
   */
  tell(cwd: string): Promise<void>;
  list(): Promise<TrustedProject[]>;
  /** Trusts a project or preset whatever its files are, from now on; returns its path. */
  trustByPath(cwd: string): Promise<string>;
  /** Ends trust; returns the path of the project or preset, or undefined when it was not trusted. */
  remove(cwd: string): Promise<string | undefined>;
  /** The user's extensions that are not loaded until the user confirms them. */
  held(): Promise<HeldExtension[]>;
  /** Confirms these extensions with the hashes that `held` returned. */
  confirm(held: readonly HeldExtension[]): Promise<void>;
  /**
   * Forgets that extensions with this id guarded something, so that nothing is denied while they do not run. Returns
   * whether a guard was recorded. An extension that is loaded again is recorded again.
   */
  forget(extension: string): Promise<boolean>;
}

/** Asks the user at a terminal about what is not trusted yet; returns at once when there is nothing to ask. */
export interface TrustQuestion {
  ask(invocation: Invocation): Awaitable<void>;
}

declare module "@scorel/kernel" {
  interface Services {
    trust: TrustService;
    trustQuestion: TrustQuestion;
  }
}
