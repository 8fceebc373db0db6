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
  /** What the tool says that it reads, as absolute paths; undefined when it does not say. */
  reads?: readonly string[] | undefined;
  mode: Mode;
  rules: Rules;
  workspace: Workspace;
  readable: Readable;
}
/** What may be read beside the project without a question. */
export interface Readable {
  /** `[permissions] read` */
  patterns: readonly string[];
  /** Those of skills. */
  folders: readonly string[];
}
/** What becomes of a call, and why. `rules` would allow what is asked about; none when no rule can say it. */
export interface Verdict {
  decision: "allow" | "ask" | "deny";
  why: string;
  rules: string[];
}

export const allow = (why: string): Verdict => ({ decision: "allow", why, rules: [] });
export const deny = (why: string): Verdict => ({ decision: "deny", why, rules: [] });

/** The stricter of two verdicts; two questions become one, with the rules that answer both. */
export function stricter(first: Verdict, second: Verdict): Verdict {
  const order = ["deny", "ask", "allow"];
  const [strict, other] =
    order.indexOf(first.decision) <= order.indexOf(second.decision) ? [first, second] : [second, first];
  if (strict.decision !== "ask" || other.decision !== "ask") return strict;
  if (first.why === second.why) return strict;
  const answerable = first.rules.length > 0 && second.rules.length > 0;
  return {
    decision: "ask",
    why: `${first.why}; ${second.why}`,
    rules: answerable ? [...first.rules, ...second.rules] : [],
  };
}

export const PLANNING = "the mode is plan, in which nothing is changed";

/** A rule that forbids holds when it names any of the paths, or cannot be compared; one that allows must name all of them. */
export function isForPaths({ pattern }: Rule, paths: readonly string[], loose: boolean, workspace: Workspace): boolean {
  if (pattern === undefined) return true;
  if (paths.length === 0) return loose;
  // Comparing a longer one could take long, and hardly any file lies so deep.
  const matches = (path: string) => (path.length > 1_000 ? loose : fits(pattern, path, workspace));
  return loose ? paths.some(matches) : paths.every(matches);
}
