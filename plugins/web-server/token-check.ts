import { createHash, timingSafeEqual } from "node:crypto";
import { clientScope } from "@scorel/kit/values/scopes";
import type { Grant } from "./contract.ts";
import { endOldPages, hasJustEnded, isOpen, PAGE } from "./pages.ts";
import { revocation } from "./revocation.ts";
import { readStore, type StoredToken, stamp } from "./token-store.ts";

/**
 * Milliseconds between two checks whether the stored tokens have changed. A replaced token ends its connections after at most this time.
 */
const LOOK_MS = 250;

type Known = Pick<StoredToken, "name" | "sha256" | "scopes">;

/** Checks tokens against the stored ones, and ends the grants of tokens that are changed, removed or expired. */
export class TokenCheck {
  private readonly used = new Map<string, AbortController>();
  private readonly failed: (thrown: unknown) => void;
  private readonly changed: () => void;
  private readonly timer: NodeJS.Timeout;
  private seen = "";
  private tokens: string | undefined;
  /** When the next token of a page expires, in milliseconds since 1970. */
  private nextEnd = Number.POSITIVE_INFINITY;

  /**
   * `failed` is called when the stored tokens cannot be read: then no token is accepted. `changed` is called when the tokens that are not
   * of pages change.
   */
  constructor({ failed, changed }: { failed: (thrown: unknown) => void; changed: () => void }) {
    this.failed = failed;
    this.changed = changed;
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
    // Reads the current state, so that the first check of the timer already notices a change.
    this.look();
  }

  /** The grant of a token; undefined if it is unknown. The file is read each time, so a removed token is refused at once. */
  grant(token: string | undefined): Grant | undefined {
    if (token === undefined || token.length > 1_024) return undefined;
    const digest = createHash("sha256").update(token).digest();
    let found: Known | undefined;
    // Compares with all tokens, so that the time does not tell which one is similar.
    for (const stored of this.known()) if (timingSafeEqual(digest, Buffer.from(stored.sha256, "hex"))) found = stored;
    if (!found) return undefined;
    const identity = identityOf(found);
    const controller = this.used.get(identity) ?? revocation();
    this.used.set(identity, controller);
    const { name, scopes } = found;
    return { name, identity, scope: clientScope(scopes), scopes, isPage: name === PAGE, revoked: controller.signal };
  }

  /** Digests of all known tokens in hex, including those that have ended. */
  digests(): string[] {
    const { tokens, pages } = this.read();
    return [...tokens, ...pages].map(({ sha256 }) => sha256);
  }

  end(): void {
    clearInterval(this.timer);
  }

  /** The tokens that are valid now. */
  private known(): readonly Known[] {
    const { tokens, pages } = this.read();
    return [...tokens, ...pages.filter((page) => isOpen(page)).map((page) => ({ name: PAGE, ...page }))];
  }

  private read(): ReturnType<typeof readStore> {
    try {
      return readStore();
    } catch (thrown) {
      this.failed(thrown);
      return { tokens: [], pages: [] };
    }
  }

  private look(): void {
    const seen = stamp();
    if (seen === this.seen && Date.now() < this.nextEnd) return;
    this.seen = seen;
    const valid = new Set(this.known().map(identityOf));
    for (const [identity, controller] of this.used)
      if (!valid.has(identity)) {
        this.used.delete(identity);
        controller.abort();
      }
    const { tokens, pages } = this.read();
    const names = tokens.map(identityOf).join();
    if (this.tokens !== undefined && names !== this.tokens) this.changed();
    this.tokens = names;
    const open = pages.filter((page) => isOpen(page));
    this.nextEnd = Math.min(...open.map(({ until }) => Date.parse(until)));
    if (pages.some(hasJustEnded)) endOldPages().catch(this.failed);
  }
}

/** An id for a token with its scopes that does not reveal its digest. */
function identityOf({ name, sha256, scopes }: Known): string {
  return createHash("sha256").update(`${name} ${sha256} ${scopes}`).digest("base64url");
}
