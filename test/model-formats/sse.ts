/** One server-sent event without a name. */
export function sse(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** One server-sent event with its type as the name, and in the data. */
export function namedSse(data: { type: string; [field: string]: unknown }): string {
  return `event: ${data.type}\n${sse(data)}`;
}
