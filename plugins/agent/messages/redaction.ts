import type { SecretsService } from "@scorel/model/contract";

/** Removes known secrets from what is stored or sent. Without the service `secrets` it changes nothing. */
export interface Redaction {
  text(text: string): string;
  /** Redacts every string inside a plain value, and the keys of its objects. */
  value<T>(value: T): T;
  /** Redacts streamed text. May hold back the end of a chunk that could be the start of a secret. */
  stream(): { write(chunk: string): string; end(): string };
}

export function createRedaction(secrets: SecretsService | undefined): Redaction {
  if (!secrets) return plain;
  const text = (given: string) => secrets.redact(given);
  return { text, value: (value) => mapStrings(value, text), stream: () => secrets.redactor() };
}

const plain: Redaction = {
  text: (text) => text,
  value: (value) => value,
  stream: () => ({ write: (chunk) => chunk, end: () => "" }),
};

function mapStrings<T>(value: T, map: (text: string) => string): T {
  if (typeof value === "string") return map(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map)) as T;
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [map(key), mapStrings(inner, map)])) as T;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
