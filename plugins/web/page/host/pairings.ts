import { inTime } from "./database.ts";

/** The database of this browser's keys and paired hosts, apart from what can be had again from hosts. */
export const PAIRINGS = "scorel.relay";

/** Forgets the keys of this browser and all hosts that it is paired with. */
export function forgetPairings(): Promise<void> {
  const forgetting = new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(PAIRINGS);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
    // Another tab reads from it just now, and leaves, too.
    request.onblocked = () => resolve();
  });
  return inTime(forgetting);
}
