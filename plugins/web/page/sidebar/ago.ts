import type { Words } from "../words/words.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats how long ago something was, in its largest unit; after a month, as a date. Times are in milliseconds since 1970. */
export function ago(then: number, now: number, { ago: words }: Pick<Words, "ago">): string {
  const passed = now - then;
  if (passed < MINUTE) return words.now;
  if (passed < HOUR) return words.minutes(Math.floor(passed / MINUTE));
  if (passed < DAY) return words.hours(Math.floor(passed / HOUR));
  if (passed < 30 * DAY) return words.days(Math.floor(passed / DAY));
  return words.date(then);
}
