import type { SessionGlance } from "../../contract.ts";

const GLANCE: readonly (keyof SessionGlance)[] = [
  ...([
    "model",
    "modelFoundBy",
    "modelError",
    "thinking",
    "thinks",
    "permission",
    "permissionDefault",
    "context",
    "spent",
    "branch",
  ] as const),
];

/** The fields that clients can follow, without those that are absent. */
export function glanceIn(
  status: SessionGlance | { [K in keyof SessionGlance]: SessionGlance[K] | null },
): SessionGlance {
  const given = GLANCE.map((key) => [key, status[key]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
}
