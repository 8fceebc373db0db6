import type { Stats } from "node:fs";
import { TICK_MS } from "./seen.ts";

/** The times of a file or folder, by which a later look knows whether it has changed. */
export interface Times {
  ino: number;
  mtimeMs: number;
  ctimeMs: number;
  /** Changed so shortly before it was read that the next change may leave its times as they are. */
  young: boolean;
}

/** The times of what was read at `readAt` (milliseconds since the epoch) or later. */
export function timesOf({ ino, mtimeMs, ctimeMs }: Stats, readAt: number): Times {
  return { ino, mtimeMs, ctimeMs, young: Math.max(mtimeMs, ctimeMs) > readAt - TICK_MS };
}

/** Whether what has these times now is certainly what was read then. */
export function isUnchanged(then: Times, now: Stats): boolean {
  return !then.young && then.ino === now.ino && then.mtimeMs === now.mtimeMs && then.ctimeMs === now.ctimeMs;
}
