/** Formats a time in milliseconds since the epoch for people: in the local time zone and to the minute, such as `2026-03-07 09:05`. */
export function localMinute(at: number): string {
  const date = new Date(at);
  const [day, time] = [
    [date.getFullYear(), date.getMonth() + 1, date.getDate()],
    [date.getHours(), date.getMinutes()],
  ].map((parts) => parts.map((part) => String(part).padStart(2, "0")));
  return `${day?.join("-")} ${time?.join(":")}`;
}
