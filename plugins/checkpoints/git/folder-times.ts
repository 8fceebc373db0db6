import type { Stats } from "node:fs";
import { TICK_MS } from "../scan/scanned-file.ts";

/** Times of a file or folder, by which a later scan detects changes. */
export interface Times {
  ino: number;
  mtimeMs: number;
  ctimeMs: number;
  /** Whether it changed so shortly before it was read that another change may leave the same times. */
  young: boolean;
}

/** The times of something read at `readAt` (milliseconds since the epoch) or later. */
export function timesOf({ ino, mtimeMs, ctimeMs }: Stats, readAt: number): Times {
  return { ino, mtimeMs, ctimeMs, young: Math.max(mtimeMs, ctimeMs) > readAt - TICK_MS };
}

/** Whether something is certainly unchanged since these times. */
export function isUnchanged(then: Times, now: Stats): boolean {
  return !then.young && then.ino === now.ino && then.mtimeMs === now.mtimeMs && then.ctimeMs === now.ctimeMs;
}
