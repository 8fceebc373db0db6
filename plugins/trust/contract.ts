import type { Invocation } from "@scorel/cli/contract";
import type { Awaitable } from "@scorel/kernel";

/** One thing that a project has for Scorel to use. */
export interface TrustItem {
  /**
   * `code` runs with the user's rights; `redirect` sends words or keys elsewhere; `weakens` changes what the user has set
   * to be safe; the others steer what is loaded and what the model is told.
   */
  kind: "code" | "redirect" | "weakens" | "setting" | "preset" | "command" | "instructions" | "skill" | "other";
  /** What it is and what it could do, in one line. */
  what: string;
  /** `file:line` in the project. */
  place: string;
}

/** A file that differs from what was trusted. */
export interface TrustChange {
  path: string;
  how: "added" | "changed" | "removed";
  /** Lines that went (`-`) and came (`+`), of a small text. */
  diff?: string;
}

/** What a project would have Scorel use, as it was read once: trusting it trusts these bytes and no others. */
export interface TrustReview {
  /** What trust is given to: the folder that holds `.scorel`, else the project's root; a preset's folder or file. */
  path: string;
  /** The folders that were read. */
  folders: readonly string[];
  items: readonly TrustItem[];
  /** What is known of each part that is trusted by itself, such as the project and the skills nested in it. */
  parts: readonly { folders: readonly string[]; state: "new" | "changed" | "trusted" }[];
  /** Against what was trusted before; absent when nothing was. */
  changes?: readonly TrustChange[];
  /** The small texts in it, for looking at. */
  texts(): { path: string; text: string }[];
  /** Keeps that the user trusts it. Throws TRUST_FILE. */
  accept(): Promise<void>;
}

/** An extension of the user's own that appeared or changed while tools ran, and is not loaded until confirmed. */
export interface HeldExtension {
  id: string;
  path: string;
  /** The session whose tools ran at that time. */
  sessionId: string;
  /** What a yes takes: path below the folder of extensions -> sha256 as it was seen. */
  files: Readonly<Record<string, string>>;
}

/** One line of `scorel trust list`: a project, or a preset that is named by its path. */
export interface TrustedProject {
  path: string;
  /** `dev`: whatever lies there; `changed`: no longer what was trusted; `gone`: there is nothing left. */
  state: "trusted" | "dev" | "changed" | "gone";
  since: string;
}

/** What is trusted on this machine; given to the host kernel by the loader. Its calls throw TRUST errors. */
export interface TrustService {
  /**
   * What the project of a directory wants to be trusted with; undefined when there is nothing, or all of it is trusted,
   * in this run or for good. `again` answers what is trusted already where all of it is, and takes the path of a preset: of its file, or
   * of its folder where that is no project.
   */
  review(cwd: string, again?: boolean): Promise<TrustReview | undefined>;
  list(): Promise<TrustedProject[]>;
  /** Trusts whatever lies in a project or preset, now and later; answers its path. */
  trustByPath(cwd: string): Promise<string>;
  /** Ends trust; answers the path of the project or preset, or undefined when there was none to end. */
  remove(cwd: string): Promise<string | undefined>;
  /** The user's extensions that are not loaded until confirmed. */
  held(): Promise<HeldExtension[]>;
  /** Takes them as they were seen. */
  confirm(held: readonly HeldExtension[]): Promise<void>;
}

/** Asks a person at a terminal about what is not trusted yet; answers at once when there is nothing to ask. */
export interface TrustQuestion {
  ask(invocation: Invocation): Awaitable<void>;
}

declare module "@scorel/kernel" {
  interface Services {
    trust: TrustService;
    trustQuestion: TrustQuestion;
  }
}
