const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Maximum nesting depth of a record's values. */
export const DEEPEST = 64;

export type Json = Record<string, unknown>;

/**
 * Parses a line of JSON to an object with finite numbers and well-formed strings, without `__proto__` keys. Returns the
 * reason as a string when that fails.
 */
export function parseRecord(bytes: Buffer): Json | string {
  if (depthOf(bytes) > DEEPEST) return `its values lie more than ${DEEPEST} deep in each other`;
  try {
    // The first line of a file may begin with a byte order mark.
    const value: unknown = JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
    return isRecord(value) ? (clean(value) as Json) : "it is not a JSON object";
  } catch {
    return "it is not JSON";
  }
}

/** Whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, else an empty one. */
export function recordIn(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** Returns the value if it is an array, else an empty one. */
export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a string, else "". */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns text for one line of a list or title: without control characters, at most `length` characters. */
export function lineOf(value: unknown, length: number): string {
  const line = textIn(value)
    .slice(0, length * 8)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return [...line].slice(0, length).join("");
}

/** Measures the nesting depth on the bytes, so that no parser sees a line of nothing but brackets. */
function depthOf(bytes: Buffer): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
}

function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return wholeCharacters(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : 0;
  if (Array.isArray(value)) return value.map(clean);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(entries.map(([key, inner]) => [wholeCharacters(key), clean(inner)]));
}

/** Replaces lone surrogates, which providers refuse. */
function wholeCharacters(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
