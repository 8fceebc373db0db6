import type { ParentSession } from "@scorel/workspace/contract";
import { z } from "zod";
import type { PermissionsConfig } from "./config.ts";
import type { Mode } from "./contract.ts";

/** The modes, the narrowest first. A session with a parent never has a wider mode than its parent. */
const NARROWEST_FIRST = ["plan", "ask", "edits", "full"] as const satisfies readonly Mode[];
const UNKNOWN = ["deny", "ask", "declared"] as const;

const limits = z.strictObject({
  mode: z.enum(NARROWEST_FIRST),
  allow: z.array(z.string()),
  ask: z.array(z.string()),
  deny: z.array(z.string()),
  read: z.array(z.string()),
  readers: z.array(z.string()),
  unknown: z.enum(UNKNOWN),
  /** Rules that a person allowed for the parent's session. */
  session: z.array(z.string()),
});
/** The most that a session allows its child sessions. */
export type Limits = z.output<typeof limits>;

/** The limits that apply when the parent's cannot be read: nothing runs that changes something. */
const CLOSED: Limits = {
  ...{ mode: "plan", unknown: "deny" },
  ...{ allow: [], ask: [], deny: [], read: [], readers: [], session: [] },
} as Limits;

/** The limits that the parent sets: those at the session's creation, and the current ones while the parent is open. */
export function limitsBy(parent: ParentSession | undefined): Limits[] {
  if (!parent) return [];
  const { atStart, now } = parent.limits("permissions");
  // A parent without this plugin has no limits.
  return [atStart, now].flatMap((given) =>
    given === undefined ? [] : [limits.safeParse(given, { jitless: true }).data ?? CLOSED],
  );
}

/** The narrowest of a mode and the modes in the limits. */
export function narrowest(mode: Mode, limits: readonly Pick<Limits, "mode">[]): Mode {
  const all = [mode, ...limits.map((each) => each.mode)];
  return NARROWEST_FIRST.find((each) => all.includes(each)) ?? "plan";
}

/**
 * A session's settings within its parent's: what the parent forbids or asks about is added, and what the parent does not allow is
 * left out.
 */
export function narrowed(config: PermissionsConfig, limits: readonly Limits[]): PermissionsConfig {
  const kept = (list: "allow" | "read" | "readers") =>
    config[list].filter((each) => limits.every((limit) => limit[list].includes(each)));
  const joined = (list: "ask" | "deny") => [...new Set([...config[list], ...limits.flatMap((limit) => limit[list])])];
  const unknown = [config.unknown, ...limits.map((limit) => limit.unknown)];
  return {
    ...config,
    allow: kept("allow"),
    read: kept("read"),
    readers: kept("readers"),
    ask: joined("ask"),
    deny: joined("deny"),
    unknown: UNKNOWN.find((each) => unknown.includes(each)) ?? "deny",
  };
}

/**
 * Rules that a person allowed for the parent's session. They also apply to its children while it is open, because to
 * the person they are the same piece of work.
 */
export function parentRules(parent: ParentSession | undefined): string[] {
  const { now } = parent?.limits("permissions") ?? {};
  return limits.safeParse(now, { jitless: true }).data?.session ?? [];
}
