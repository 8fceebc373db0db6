import { newId } from "@scorel/kernel";

/** Header that marks one request. It is removed before the request leaves the process. */
const MARK = "x-scorel-request";

const waiting = new Map<string, typeof fetch>();
let ours: typeof fetch | undefined;
let original = globalThis.fetch;

/** A header for one request that will use the replacement, and a function that stops waiting for it. */
export interface Marked {
  headers: Record<string, string>;
  release(): void;
}

/**
 * Redirects one marked request of a library that looks up the global fetch at request time. The global fetch is
 * replaced only until that request is made; all other requests pass unchanged.
 */
export function markFetch(replacement: typeof fetch): Marked {
  const mark = newId();
  waiting.set(mark, replacement);
  if (!ours || globalThis.fetch !== ours) install();
  return { headers: { [MARK]: mark }, release: () => release(mark) };
}

function install(): void {
  original = globalThis.fetch;
  const through = original;
  ours = (input, init) => {
    const headers = init?.headers instanceof Headers ? init.headers : undefined;
    const mark = headers?.get(MARK);
    const replacement = mark ? waiting.get(mark) : undefined;
    if (!mark || !replacement) return through(input, init);
    release(mark);
    headers?.delete(MARK);
    return replacement(input, init);
  };
  globalThis.fetch = ours;
}

function release(mark: string): void {
  waiting.delete(mark);
  if (waiting.size === 0 && globalThis.fetch === ours) globalThis.fetch = original;
}
