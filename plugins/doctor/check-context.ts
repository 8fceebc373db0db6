import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import type { HostService, SessionLogs } from "@scorel/host/contract";
import type { LayersService } from "@scorel/inspect/contract";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import type { ModelsService } from "@scorel/models/contract";
import type { PackageStore } from "@scorel/packages/contract";
import type { TrustService } from "@scorel/trust/contract";
import type { Composition } from "@scorel/workspace/contract";
import type { Finding, HealthReport } from "./contract.ts";

/** The services to examine. The last three may be missing if they did not start. */
export interface Services {
  version: string;
  composition: Composition;
  layers: LayersService;
  trust: TrustService;
  presetStore: PackageStore | undefined;
  host: HostService | undefined;
  sessionLogs: SessionLogs | undefined;
  models: ModelsService | undefined;
}

/** Everything that the checks need. */
export interface CheckContext extends Services {
  cwd: string;
  env: Invocation["env"];
  options: Readonly<Record<string, unknown>>;
  interrupt: AbortSignal;
  /** `~/.scorel`; undefined without a home directory. */
  home: string | undefined;
  /** How to start this command again. */
  self: readonly [program: string, ...args: string[]];
}

/** What one check adds to the report. */
export type Part = Partial<HealthReport> & { findings: readonly Finding[] };

/** Returns `~/.scorel`; undefined when HOME is not a full path. */
export function homeOf(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? join(home, ".scorel") : undefined;
  } catch {
    // There is no home directory; the check of the settings reports this.
    return undefined;
  }
}

/** Converts an error to findings, one for each problem that it lists. A failed plugin is reported by its cause. */
export function thrownFindings(thrown: unknown, where: string, doNext: string): Finding[] {
  if (codeOf(thrown) === "PLUGIN_FAILED" && (thrown as Error).cause instanceof ScorelError)
    return thrownFindings((thrown as Error).cause, where, doNext);
  const problems = thrown instanceof ScorelError ? thrown.data.problems : undefined;
  const texts = Array.isArray(problems) ? problems.map(String) : [messageOf(thrown)];
  return texts.map((what) => ({ code: codeOf(thrown), severity: "error", what, where, doNext }));
}
