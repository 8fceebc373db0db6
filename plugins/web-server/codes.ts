import { createHash, randomBytes } from "node:crypto";
import type { Scope } from "@scorel/kit/values/scopes";

/** How long a code can be used, in milliseconds. */
export const CODE_MS = 60_000;
/** Codes at a time; the oldest makes room for a new one. */
const MOST = 64;
const BYTES = 32;

/** What a page gets for its code. */
export interface Entry {
  scopes: readonly Scope[];
  /** Where the person who made the code was: the page begins with a new session there. */
  directory?: string | undefined;
}

/**
 * Codes that let a page in the browser in, which cannot read a token from a file. Each works once and for a minute. They are nowhere but
 * in the memory of this host, as digests.
 */
export class Codes {
  private readonly codes = new Map<string, { entry: Entry; timer: NodeJS.Timeout; ended(): void }>();

  /** Makes a code for a token. `begun` is told it, and returns what is called when the code can no longer be used. */
  issue(entry: Entry, begun: (code: string) => () => void = () => () => {}): string {
    const [oldest] = this.codes.keys();
    if (this.codes.size >= MOST && oldest !== undefined) this.take(oldest);
    const code = `scorel_${randomBytes(BYTES).toString("base64url")}`;
    const digest = digestOf(code);
    const timer = setTimeout(() => this.take(digest), CODE_MS);
    timer.unref();
    this.codes.set(digest, { entry, timer, ended: begun(code) });
    return code;
  }

  /** What a code stands for, once; undefined for a code that is unknown, was used, or is too old. */
  redeem(code: string): Entry | undefined {
    // The digest of a guess says nothing about another one, so looking it up takes as long for every guess.
    return this.take(digestOf(code));
  }

  /** Ends all codes. */
  end(): void {
    for (const digest of [...this.codes.keys()]) this.take(digest);
  }

  private take(digest: string): Entry | undefined {
    const found = this.codes.get(digest);
    this.codes.delete(digest);
    clearTimeout(found?.timer);
    found?.ended();
    return found?.entry;
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
