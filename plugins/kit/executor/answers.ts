/** Maximum length of a path, in characters. */
const MAX_PATH = 65_536;
/** Maximum number of entries in one folder. */
const MAX_ENTRIES = 1_000_000;
const KINDS = new Set<unknown>(["file", "folder", "fifo", "socket", "device"]);

/** Each `check…` function returns undefined for a valid answer of its method, and otherwise a description of a valid one. */
export function checkRealPath(path: unknown): string | undefined {
  const isPath = typeof path === "string" && path.startsWith("/") && path.length <= MAX_PATH && !path.includes("\0");
  return isPath ? undefined : "an absolute path";
}

export function checkInfo(info: unknown): string | undefined {
  return info === undefined || info === null || isInfo(info)
    ? undefined
    : "undefined, or an object with kind, size and perhaps id";
}

export function checkContent(content: unknown, maxBytes = Number.POSITIVE_INFINITY): string | undefined {
  const { bytes } = (content ?? {}) as { bytes?: unknown };
  if (!isInfo(content) || !(bytes instanceof Uint8Array)) return "an object with kind, size and bytes (a Uint8Array)";
  return bytes.length > maxBytes ? `at most ${maxBytes} bytes, and an error with the code EFBIG for more` : undefined;
}

export function checkEntries(entries: unknown): string | undefined {
  const areEntries = Array.isArray(entries) && entries.length <= MAX_ENTRIES && entries.every(isEntry);
  return areEntries ? undefined : `an array of at most ${MAX_ENTRIES} objects with name and kind`;
}

export function isInfo(info: unknown): boolean {
  const { kind, size, id } = (info ?? {}) as { kind?: unknown; size?: unknown; id?: unknown };
  return KINDS.has(kind) && Number.isSafeInteger(size) && (size as number) >= 0 && isTextOrAbsent(id);
}

function isEntry(entry: unknown): boolean {
  const { name, kind } = (entry ?? {}) as { name?: unknown; kind?: unknown };
  return typeof name === "string" && name.length <= MAX_PATH && (KINDS.has(kind) || kind === "link");
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
