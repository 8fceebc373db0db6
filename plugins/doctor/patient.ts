import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import type { LayersService } from "@scorel/inspect/contract";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import type { ModelsService } from "@scorel/models/contract";
import type { PresetStore } from "@scorel/packages/contract";
import type { TrustService } from "@scorel/trust/contract";
import type { Finding, HealthReport } from "./contract.ts";

/** What of Scorel there is to ask; the last two may not have started. */
export interface Organs {
  version: string;
  layers: LayersService;
  trust: TrustService;
  presetStore: PresetStore | undefined;
  host: HostService | undefined;
  models: ModelsService | undefined;
}

/** All that is looked at. */
export interface Patient extends Organs {
  cwd: string;
  env: Invocation["env"];
  options: Readonly<Record<string, unknown>>;
  interrupt: AbortSignal;
  /** `~/.scorel`; undefined when there is no home. */
  home: string | undefined;
  /** How this very command is started again. */
  self: readonly [program: string, ...args: string[]];
}

/** What one look adds to the report. */
export type Part = Partial<HealthReport> & { findings: readonly Finding[] };

/** The user's folder, by the same rule as everything else has: a full path. */
export function homeOf(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? join(home, ".scorel") : undefined;
  } catch {
    // No HOME, and the system knows none either: the layers say so.
    return undefined;
  }
}

/** What was thrown, as findings: one for each problem that it names. Of a plugin that did not start, why. */
export function thrownFindings(thrown: unknown, where: string, doNext: string): Finding[] {
  if (codeOf(thrown) === "PLUGIN_FAILED" && (thrown as Error).cause instanceof ScorelError)
    return thrownFindings((thrown as Error).cause, where, doNext);
  const problems = thrown instanceof ScorelError ? thrown.data.problems : undefined;
  const texts = Array.isArray(problems) ? problems.map(String) : [messageOf(thrown)];
  return texts.map((what) => ({ code: codeOf(thrown), severity: "error", what, where, doNext }));
}

/** A word as a shell reads it again. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
