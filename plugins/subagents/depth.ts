import type { ParentSession } from "@scorel/workspace/contract";

/** A subagent may start subagents, but these may not. */
export const MOST_DEPTH = 2;

interface Limits {
  /** The limits may be ignored by a session without this plugin, since it has no subagents. */
  optional: true;
  /** Number of ancestors of the session. */
  depth: number;
}

/** The limits that a session passes on to its children. They are stored in the headers of their logs. */
export const childLimits = (depth: number): Limits => ({ optional: true, depth });

/** Number of ancestors of a session. A copy of a subagent's session counts like the original. */
export function depthOf(parent: ParentSession | undefined): number {
  if (!parent) return 0;
  const { depth } = (parent.limits("subagents").atStart ?? { depth: 0 }) as Partial<Limits>;
  return typeof depth === "number" ? depth + 1 : MOST_DEPTH;
}
