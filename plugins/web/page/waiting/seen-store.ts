import { SeenStore } from "./seen.ts";

/** What this browser has seen. */
export const seenStore = new SeenStore();
