import { hasStored, removeStored } from "@scorel/kit/files/stored";
import { FILE, readSubscriptions } from "./store.ts";

/** Whether browsers have subscribed to pushes. False if the list cannot be read, so that the host can start. */
export function hasSubscriptions(logger: { warn(message: string, thrown?: unknown): void }): boolean {
  try {
    return readSubscriptions().length > 0;
  } catch (thrown) {
    logger.warn("Pushes are not sent", thrown);
    return false;
  }
}

/** Describes the subscriptions for a reset of the host. Works also if they cannot be read. */
export function kept(): { what: string; clear(): void } | undefined {
  if (!hasStored("host", FILE)) return undefined;
  return {
    what: "the list of browsers that get pushes, and the key for it; their pages subscribe again",
    clear: () => removeStored("host", FILE),
  };
}
