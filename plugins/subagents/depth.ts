import type { ParentSession } from "@scorel/workspace/contract";

/** A subagent may have subagents, which have none. */
export const MOST_DEPTH = 2;

interface Limits {
  /** A session without this plugin has no subagents. */
  optional: true;
  /** How many sessions are above the one whose limits they are. */
  depth: number;
}

/** What a session tells its children, in whose headers it is stored. */
export const childLimits = (depth: number): Limits => ({ optional: true, depth });

/** How many sessions are above this one. A copy of a subagent's session counts as that one does. */
export function depthOf(parent: ParentSession | undefined): number {
  if (!parent) return 0;
  const { depth } = (parent.limits("subagents").atStart ?? { depth: 0 }) as Partial<Limits>;
  return typeof depth === "number" ? depth + 1 : MOST_DEPTH;
}
