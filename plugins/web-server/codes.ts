import { createHash, randomBytes } from "node:crypto";
import type { Scope } from "@scorel/kit/values/scopes";

/** Milliseconds for which a code is valid. */
export const CODE_MS = 60_000;
/** The most codes that are valid at the same time. A new one beyond that ends the oldest. */
const MOST = 64;
const BYTES = 32;

/** What a code stands for: what the page that exchanges it is told and allowed. */
export interface Entry {
  scopes: readonly Scope[];
  /** Directory in which the person who made the code was working. The page starts with a new session there. */
  directory?: string | undefined;
}

/**
 * Access codes for pages in a browser, which cannot read a token from a file. Each code works once, for one minute. Only its digest is
 * kept, and only in memory.
 */
export class Codes {
  private readonly codes = new Map<string, { entry: Entry; timer: NodeJS.Timeout; ended(): void }>();

  /** Returns a new code. `begun` is called with it, and returns a function that is called when the code is used or expires. */
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

  /** Returns the entry of a code and ends the code. Undefined if the code is unknown, used or expired. */
  redeem(code: string): Entry | undefined {
    // Safe against timing attacks although the map looks up by value: an attacker cannot choose the digest of a guess.
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
