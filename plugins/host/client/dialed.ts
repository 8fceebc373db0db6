import { errors } from "./errors.ts";
import type { Channel } from "./wire.ts";

const MEMBERS = ["send", "close", "open"] as const;

/** Checks that `dial` is a function. Throws LINK_CHANNEL. */
export function assertDial(dial: unknown): void {
  if (typeof dial !== "function") throw errors.LINK_CHANNEL({ problem: `is ${kindOf(dial)}` });
}

/** Checks that what `dial` has returned is a channel. Throws LINK_CHANNEL, after which connecting again does not help. */
export function channelFrom(dialed: unknown): Channel {
  const given = Object(dialed) as Record<string, unknown>;
  const missing = MEMBERS.filter((member) => typeof given[member] !== "function");
  if (missing.length === 0) return dialed as Channel;
  const isObject = typeof dialed === "object" && dialed !== null;
  const problem = isObject ? `returned a channel without ${missing.join(", ")}` : `returned ${kindOf(dialed)}`;
  throw Object.assign(errors.LINK_CHANNEL({ problem }), { fatal: true });
}

function kindOf(value: unknown): string {
  return value === undefined || value === null ? String(value) : `a ${typeof value}`;
}
