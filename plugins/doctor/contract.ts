import type { PluginRow, TapRow } from "@scorel/extensions/contract";
import type { SessionHealth } from "@scorel/host/contract";
import type { Setting } from "@scorel/inspect/contract";
import type { LocalModel, ModelReach } from "@scorel/model/contract";
import type { InstalledPreset } from "@scorel/packages/contract";
import type { TrustedProject } from "@scorel/trust/contract";

/** `ok`: looked at, and fine. `note`: worth knowing. `warning`: something does not work as it could. `error`: something is broken. */
export type Severity = "ok" | "note" | "warning" | "error";

/** One thing that was found. */
export interface Finding {
  /** Stable, in capitals; of an error that something threw, its own code. */
  code: string;
  severity: Severity;
  what: string;
  /** A file with its line, a folder, a host; empty when it has no place. */
  where: string;
  /** What to do about it, with the command where there is one; empty when there is nothing to do. */
  doNext: string;
}

/** A program that Scorel runs. */
export interface ProgramRow {
  name: "node" | "git" | "ripgrep";
  version?: string;
  path?: string;
}

/** The layers of one native hook, in the order in which they run. */
export interface HookRow {
  hook: string;
  layers: readonly (Omit<TapRow, "hook" | "order"> & { plugin: string })[];
}

/** The user's own folder, or something in it. */
export interface FolderRow {
  path: string;
  /** As in `drwx------`. */
  mode: string;
}

/** How much room there is and what takes it, in bytes. */
export interface SpaceReport {
  free: number;
  /** `sessions`, `trash`, `blobs`, `cache` -> what lies in there, as far as it was counted. */
  used: Readonly<Record<string, number>>;
}

/** What programs of skills would be run in. */
export interface SandboxReport {
  /** Absent when nothing works that may be chosen. */
  chosen?: "bubblewrap" | "docker" | "podman" | "local";
  /** Those that keep programs from the host, each with why it does not work here. */
  executors: readonly { executor: string; problem?: string }[];
}

/** What the self-test did. */
export interface SelfTestReport {
  steps: readonly { did: string; ms: number }[];
  ms: number;
  passed: boolean;
}

/** What `scorel doctor --json` prints: one document of this version. Parts that could not be looked at are absent. */
export interface HealthReport {
  version: 1;
  scorel: string;
  /** As in `linux x64`. */
  system: string;
  cwd: string;
  /** When it was made, as ISO 8601, and how long that took in milliseconds. */
  at: string;
  ms: number;
  programs: readonly ProgramRow[];
  /** Every plugin of this run; those that start have an `order`. */
  plugins?: readonly PluginRow[];
  hooks?: readonly HookRow[];
  /** The files of presets and configuration, weakest first, and every value with who set it. */
  config?: { files: readonly string[]; settings: readonly Setting[] };
  folders: readonly FolderRow[];
  space?: SpaceReport;
  /** How many there are, and the ones that were written last. */
  sessions?: { total: number; latest: readonly SessionHealth[] };
  model?: ModelReach;
  local?: readonly LocalModel[];
  trust?: { projects: readonly TrustedProject[] };
  /** Presets of others that are installed; one that is `changed` is refused. */
  presets?: readonly Pick<InstalledPreset, "name" | "state" | "source" | "installedAt">[];
  /** Absent when no plugin runs programs of skills. */
  sandbox?: SandboxReport;
  selftest?: SelfTestReport;
  findings: readonly Finding[];
}
