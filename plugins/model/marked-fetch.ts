import { newId } from "@scorel/kernel";

/** The header by which a request is told from all others. It never leaves this process. */
const MARK = "x-scorel-request";

const waiting = new Map<string, typeof fetch>();
let ours: typeof fetch | undefined;
let original = globalThis.fetch;

/** A header to send with one request, which then goes by `replacement`; and how to give up waiting for it. */
export interface Marked {
  headers: Record<string, string>;
  release(): void;
}

/**
 * For a library that takes the global fetch at the moment of each request. The global fetch is another one only until
 * the marked request was made; every other request passes it unchanged.
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
