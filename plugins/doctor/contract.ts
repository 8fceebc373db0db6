import type { PluginRow, TapRow } from "@scorel/extensions/contract";
import type { SessionHealth } from "@scorel/host/contract";
import type { Setting } from "@scorel/inspect/contract";
import type { LocalModel, ModelReach } from "@scorel/model/contract";
import type { InstalledPackage } from "@scorel/packages/contract";
import type { TrustedProject } from "@scorel/trust/contract";

/**
 * `ok`: checked and fine. `note`: worth knowing. `warning`: something does not work as it could. `error`: something is
 * broken.
 */
export type Severity = "ok" | "note" | "warning" | "error";

/** One finding of the examination. */
export interface Finding {
  /** Stable code in capitals; for an error that was thrown, its own code. */
  code: string;
  severity: Severity;
  what: string;
  /** A file with its line, a folder or a host; may be empty. */
  where: string;
  /** What to do, with the command if there is one; may be empty. */
  doNext: string;
}

/** A program that Scorel runs. */
export interface ProgramRow {
  name: "node" | "git" | "ripgrep";
  version?: string;
  path?: string;
}

/** The layers of one native hook, in running order. */
export interface HookRow {
  hook: string;
  layers: readonly (Omit<TapRow, "hook" | "order"> & { plugin: string })[];
}

/** The user's folder or one inside it. */
export interface FolderRow {
  path: string;
  /** Permissions as in `drwx------`. */
  mode: string;
}

/** Free and used disk space in bytes. */
export interface SpaceReport {
  free: number;
  /** Size of `sessions`, `trash`, `blobs` and `cache`, as far as they were counted. */
  used: Readonly<Record<string, number>>;
}

/** Where programs of skills would run. */
export interface SandboxReport {
  /** Absent when no permitted executor works. */
  chosen?: "bubblewrap" | "docker" | "podman" | "local";
  /** The isolating executors, each with the reason if it does not work here. */
  executors: readonly { executor: string; problem?: string }[];
}

/** Result of the self-test. */
export interface SelfTestReport {
  steps: readonly { did: string; ms: number }[];
  ms: number;
  passed: boolean;
}

/** Output of `scorel doctor --json`. Parts that could not be examined are absent. */
export interface HealthReport {
  version: 1;
  scorel: string;
  /** For example `linux x64`. */
  system: string;
  cwd: string;
  /** Time as ISO 8601, and duration in milliseconds. */
  at: string;
  ms: number;
  programs: readonly ProgramRow[];
  /** Every plugin of this run; those that start have an `order`. */
  plugins?: readonly PluginRow[];
  hooks?: readonly HookRow[];
  /** Preset and configuration files, weakest first, and every setting with its origin. */
  config?: { files: readonly string[]; settings: readonly Setting[] };
  folders: readonly FolderRow[];
  space?: SpaceReport;
  /** Number of sessions, and the ones written last. */
  sessions?: { total: number; latest: readonly SessionHealth[] };
  model?: ModelReach;
  local?: readonly LocalModel[];
  trust?: { projects: readonly TrustedProject[] };
  /** Installed presets of other authors. One that is `changed` is refused. */
  presets?: readonly Pick<InstalledPackage, "name" | "state" | "source" | "installedAt">[];
  /** Absent when no plugin runs programs of skills. */
  sandbox?: SandboxReport;
  selftest?: SelfTestReport;
  findings: readonly Finding[];
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Runs the checks of `scorel doctor` on the session's host, in the session's directory; takes a second or more. `offline` skips the
     * model's server. The worst findings come first; `more` is true when some were left out. `ms` is how long it took.
     */
    check_health: {
      params: { sessionId: string; offline?: boolean };
      result: { findings: Finding[]; more: boolean; ms: number };
    };
  }
}
