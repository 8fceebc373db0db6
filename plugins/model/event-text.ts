/** Server-sent events as text, for what reads and rewrites replies. */

/** One event's data: its `data:` lines without their name, joined; undefined when it has none. */
export function dataOf(event: string): string | undefined {
  if (event.startsWith("data:") && !event.includes("\n")) return event.slice(5).trimStart();
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5).trimStart()).join("\n");
}

/** The same event with other data. */
export function withData(event: string, data: object): string {
  const others = event.split("\n").filter((line) => line !== "" && !line.startsWith("data:"));
  return [...others, `data: ${JSON.stringify(data)}`].join("\n");
}

/** An event with a name, as anthropic-messages and openai-responses have it. */
export function namedEvent(data: { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}`;
}

/** The same with plain line breaks. No JSON text has others in it but escaped ones. */
export function plainBreaks(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The events of a text with plain line breaks that ends with an event's blank line. */
export function eventsIn(text: string): string[] {
  return text.split("\n\n").filter((event) => event !== "");
}

export function joinEvents(events: readonly string[]): string {
  return events.length === 0 ? "" : `${events.join("\n\n")}\n\n`;
}

/** Where the last whole event of these bytes ends; -1 when none does. */
export function endOfEvents(bytes: Buffer): number {
  const ends = ["\n\n", "\r\n\r\n", "\r\r"].map((blank) => {
    const at = bytes.lastIndexOf(blank);
    return at < 0 ? -1 : at + blank.length;
  });
  return Math.max(...ends);
}

/** The object that a JSON text holds; undefined for anything else. */
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
