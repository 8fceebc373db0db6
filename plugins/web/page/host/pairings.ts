import { inTime } from "./database.ts";

/** Database with this browser's keys and paired hosts. Separate from data that can be loaded from hosts again. */
export const PAIRINGS = "scorel.relay";

/** Deletes the keys of this browser and all pairings. */
export function forgetPairings(): Promise<void> {
  const forgetting = new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(PAIRINGS);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
    // Another tab is reading from it at this moment, and will sign out, too.
    request.onblocked = () => resolve();
  });
  return inTime(forgetting);
}
