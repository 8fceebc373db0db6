import type { Workspace } from "@scorel/host/contract";
import type { Access } from "@scorel/tools/contract";
import type { Mode } from "./contract.ts";
import { fits } from "./paths.ts";
import type { Rule } from "./rule.ts";

export interface Rules {
  allow: readonly Rule[];
  ask: readonly Rule[];
  deny: readonly Rule[];
}
/** A call with all that decides about it. */
export interface Case {
  tool: string;
  args: unknown;
  access: Access;
  mode: Mode;
  rules: Rules;
  workspace: Workspace;
}
/** What becomes of a call, and why. `rules` would allow what is asked about; none when no rule can say it. */
export interface Verdict {
  decision: "allow" | "ask" | "deny";
  why: string;
  rules: string[];
}

export const allow = (why: string): Verdict => ({ decision: "allow", why, rules: [] });
export const deny = (why: string): Verdict => ({ decision: "deny", why, rules: [] });

export const PLANNING = "the mode is plan, in which nothing is changed";

/** A rule that forbids holds when it names any of the paths, or cannot be compared; one that allows must name all of them. */
export function isForPaths({ pattern }: Rule, paths: readonly string[], loose: boolean, workspace: Workspace): boolean {
  if (pattern === undefined) return true;
  if (paths.length === 0) return loose;
  // Comparing a longer one could take long, and hardly any file lies so deep.
  const matches = (path: string) => (path.length > 1_000 ? loose : fits(pattern, path, workspace));
  return loose ? paths.some(matches) : paths.every(matches);
}
