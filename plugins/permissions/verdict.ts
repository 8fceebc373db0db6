import type { Access, Approval } from "@scorel/tools/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { Mode } from "./contract.ts";
import type { ExecutorFiles } from "./files/executor.ts";
import { fits, fitsForbidden } from "./files/paths.ts";
import { fitsExactly, fitsLoosely, parsePattern } from "./rules/pattern.ts";
import type { Rule } from "./rules/rule.ts";

export interface Rules {
  allow: readonly Rule[];
  ask: readonly Rule[];
  deny: readonly Rule[];
}
/** A call, with everything needed to judge it. */
export interface Case {
  tool: string;
  args: unknown;
  access: Access;
  /** The project's tool has the name of one of Scorel's, and the user has not listed it in `readers`. */
  standsIn?: boolean;
  /** How the call is approved; undefined if that follows from `access`. `by-rule`: it is denied unless a rule allows it. */
  approval?: Approval | "by-rule" | undefined;
  /**
   * What the call is about, according to its tool: patterns of rules are compared with this text instead of paths. Null
   * if the tool declares `about` but returned nothing usable.
   */
  about?: string | null | undefined;
  /** Absolute paths that the tool reports to read; undefined when it does not report any. */
  reads?: readonly string[] | undefined;
  /** The service for the files that the call touches; without it, they are on this computer. */
  files?: ExecutorFiles | undefined;
  mode: Mode;
  rules: Rules;
  workspace: Workspace;
  readable: Readable;
}
/** Paths outside of the project that may be read without a question. */
export interface Readable {
  /** Patterns from `[permissions] read`. */
  patterns: readonly string[];
  /** Folders of skills and of files that their programs made. */
  folders: readonly string[];
}
/** The decision on a call. `rules` would allow it in future; empty when no rule can describe it. */
export interface Verdict {
  decision: "allow" | "ask" | "deny";
  why: string;
  rules: string[];
  /**
   * Whether the only reason to ask is that no rule allows the call. Whoever sees the call then needs no further reason.
   */
  isUsual?: boolean;
}

export const allow = (why: string): Verdict => ({ decision: "allow", why, rules: [] });
export const deny = (why: string): Verdict => ({ decision: "deny", why, rules: [] });

/** The stricter of two verdicts. Two questions become one, with the rules for both. */
export function stricter(first: Verdict, second: Verdict): Verdict {
  const order = ["deny", "ask", "allow"];
  const [strict, other] =
    order.indexOf(first.decision) <= order.indexOf(second.decision) ? [first, second] : [second, first];
  if (strict.decision !== "ask" || other.decision !== "ask") return strict;
  if (first.why === second.why) return strict;
  const answerable = first.rules.length > 0 && second.rules.length > 0;
  const special = [first, second].filter(({ isUsual }) => !isUsual);
  return {
    decision: "ask",
    why: (special.length > 0 ? special : [first, second]).map(({ why }) => why).join("; "),
    rules: answerable ? [...first.rules, ...second.rules] : [],
    ...(special.length === 0 && { isUsual: true }),
  };
}

export const PLANNING = "in plan mode, nothing may be changed";

/**
 * Whether a rule applies to what a call is about. A forbidding rule (`loose`) ignores case, white space and the width
 * of letters, since programs treat such text as the same. It also applies when the text is unknown.
 */
export function isForText({ pattern }: Rule, text: string | null, loose: boolean): boolean {
  if (pattern === undefined) return true;
  if (text === null) return loose;
  if (!loose) return fitsExactly(parsePattern(pattern), text);
  return fitsLoosely(parsePattern(pattern), text) || fitsLoosely(parsePattern(folded(pattern)), folded(text));
}

function folded(text: string): string {
  return text.normalize("NFKC").trim().replace(/\s+/g, " ");
}

/**
 * Whether a rule applies to these paths. A forbidding rule (`loose`) applies when any path matches or there are none; an
 * allowing rule only when all match.
 */
export function isForPaths({ pattern }: Rule, paths: readonly string[], loose: boolean, workspace: Workspace): boolean {
  if (pattern === undefined) return true;
  if (paths.length === 0) return loose;
  // Blanks around a pattern are part of a name, but they must not keep a forbidding rule from applying.
  const patterns = loose ? [pattern, pattern.trim()] : [pattern];
  const compare = loose ? fitsForbidden : fits;
  // Matching a longer path could be slow, and real files are rarely that deep.
  const matches = (path: string) => (path.length > 1_000 ? loose : patterns.some((it) => compare(it, path, workspace)));
  return loose ? paths.some(matches) : paths.every(matches);
}
