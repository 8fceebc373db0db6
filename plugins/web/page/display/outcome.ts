/** How a command ended, as far as the event says. */
export interface Outcome {
  exitCode?: number;
  durationMs?: number;
}

/** The outcome in an event: of a tool call or a shell line. Empty for events of another form. */
export function outcomeOf(event: object): Outcome {
  const { message } = event as { message?: { details?: unknown } | null };
  const { exitCode, durationMs } = (message?.details ?? event) as Record<string, unknown>;
  return { ...(isNumber(exitCode) && { exitCode }), ...(isNumber(durationMs) && { durationMs }) };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Formats a duration: `0.4 s`, `12 s`, `3 min 5 s`. Undefined if it is too short to matter. */
export function timeText(ms: number): string | undefined {
  const seconds = ms / 1_000;
  if (seconds < 0.1) return undefined;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 60 ? `${Math.floor(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
