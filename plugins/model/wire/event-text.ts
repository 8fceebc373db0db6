/** Helpers for server-sent events as text. */

/** Returns an event's data, its `data:` lines joined; undefined without any. */
export function dataOf(event: string): string | undefined {
  if (event.startsWith("data:") && !event.includes("\n")) return event.slice(5).trimStart();
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5).trimStart()).join("\n");
}

/** Returns the event with other data. */
export function withData(event: string, data: object): string {
  const others = event.split("\n").filter((line) => line !== "" && !line.startsWith("data:"));
  return [...others, `data: ${JSON.stringify(data)}`].join("\n");
}

/** Creates an event with a name, as in anthropic-messages and openai-responses. */
export function namedEvent(data: { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}`;
}

/** Normalizes line breaks to \n. Safe, since JSON only contains escaped ones. */
export function plainBreaks(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Splits text with \n line breaks into its events. */
export function eventsIn(text: string): string[] {
  return text.split("\n\n").filter((event) => event !== "");
}

export function joinEvents(events: readonly string[]): string {
  return events.length === 0 ? "" : `${events.join("\n\n")}\n\n`;
}

/** Returns where the last complete event ends; -1 when there is none. */
export function endOfEvents(bytes: Buffer): number {
  const ends = ["\n\n", "\r\n\r\n", "\r\r"].map((blank) => {
    const at = bytes.lastIndexOf(blank);
    return at < 0 ? -1 : at + blank.length;
  });
  return Math.max(...ends);
}

/** Parses a JSON object; undefined for anything else. */
export function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(json));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}
