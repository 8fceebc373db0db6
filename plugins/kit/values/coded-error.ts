/** An error whose `code` is stable and whose message says what is wrong and what to do next. */
export class ScorelError extends Error {
  readonly code: string;
  /** Details for programs (plugin, path, pid …); never secrets. */
  readonly data: Record<string, unknown>;
  /** Another program, which may be malicious, created the error: its `data` must not be shown to people. */
  readonly isForeign?: true;

  constructor(code: string, message: string, options: { cause?: unknown; data?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ScorelError";
    this.code = code;
    this.data = options.data ?? {};
  }

  /** The exit code of a command that fails with this error, according to its error table; otherwise 1. */
  get exit(): number {
    return exits.get(this.code) ?? 1;
  }
}

/** Exit codes other than 1, by error code, of all error tables that are loaded. */
const exits = new Map<string, number>();

type Facts = Record<string, unknown>;
type Template = (facts: never) => string;
/** A message, and the exit code of a command that fails with it if it is not 1: 2 if another command line would avoid the error. */
type ErrorRow = Template | { readonly exit: number; readonly text: Template };
type Factory<R extends ErrorRow> = R extends Template
  ? FactoryOf<R>
  : R extends { text: Template }
    ? FactoryOf<R["text"]>
    : never;
type FactoryOf<F extends Template> =
  Parameters<F> extends []
    ? () => ScorelError
    : (facts: Parameters<F>[0], options?: { cause?: unknown }) => ScorelError;

/**
 * Turns a table `code -> message template`, or `code -> { exit, text }`, into a table `code -> error factory`.
 * A package has one such table; the reference page of error codes is generated from it.
 */
export function defineErrors<T extends Record<string, ErrorRow>>(
  table: T,
): { [K in keyof T]: Factory<T[K]> } & { readonly table: T } {
  const factories: Record<string, unknown> = { table };
  for (const [code, row] of Object.entries(table)) {
    const { exit = 1, text: template } = typeof row === "function" ? { text: row } : row;
    if (exit !== 1) exits.set(code, exit);
    factories[code] = (facts: Facts = {}, options: { cause?: unknown } = {}) =>
      new ScorelError(code, sentences(template(facts as never)), { ...options, data: facts });
  }
  return factories as { [K in keyof T]: Factory<T[K]> } & { readonly table: T };
}

/** Replaces two full stops at the end of a sentence by one. They occur where a template appends a full stop to a reason that has one. */
function sentences(message: string): string {
  return message.replace(/([\p{L}\p{N})\]"'`])\.\.(?=\s+\p{Lu}|$)/gu, "$1.");
}

/** The system's error codes for a full disk, in plain words. */
const NO_ROOM: Readonly<Record<string, string>> = {
  ENOSPC: "no room is left on its disk",
  EDQUOT: "this user's share of its disk is used up",
  EFBIG: "files may not become that long there",
};
const RAW_NO_ROOM = /^(?:ENOSPC: no space left|EDQUOT: disk quota|EFBIG: file too large)/;

/**
 * Whether a thrown value is the system's error for a full disk. Compares the message, since file watchers use the same code differently.
 */
export function isOutOfRoom(thrown: unknown): boolean {
  return thrown instanceof Error && !(thrown instanceof ScorelError) && RAW_NO_ROOM.test(thrown.message);
}

/** Why a file could not be written or read, as part of a message: the system's code, preceded by plain words if the disk is full. */
export function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown, "");
  const words = isOutOfRoom(thrown) ? NO_ROOM[code] : undefined;
  return words === undefined ? code || messageOf(thrown) : `${words}: ${code}`;
}

/** The whole message for the system's error for a full disk, in plain words. */
function roomText(thrown: Error): string {
  const code = codeOf(thrown);
  const { dest, path = dest } = thrown as { path?: unknown; dest?: unknown };
  if (typeof path !== "string")
    return `A file could not be written: ${NO_ROOM[code]} (${code}). Its new content was not saved; free space, and try again.`;
  return `${path} could not be written: ${NO_ROOM[code]} (${code}). The new content was not saved; free space in ${path.replace(/[/\\][^/\\]*$/, "") || "/"}, and try again.`;
}

/** The message of any thrown value, even `null`. */
export function messageOf(thrown: unknown): string {
  try {
    if (isOutOfRoom(thrown)) return roomText(thrown as Error);
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    return typeof thrown === "string" ? thrown : `thrown value: ${String(thrown)}`;
  } catch {
    return "a thrown value that cannot be read";
  }
}

/** The code of a ScorelError or a Node error, else `fallback`. */
export function codeOf(thrown: unknown, fallback = "UNEXPECTED"): string {
  try {
    const code = (thrown as { code?: unknown } | null | undefined)?.code;
    return typeof code === "string" ? code : fallback;
  } catch {
    return fallback;
  }
}
