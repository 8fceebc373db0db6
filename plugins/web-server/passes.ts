import { createHash, randomBytes } from "node:crypto";
import type { Grant } from "./contract.ts";
import { revocation } from "./revocation.ts";
import { clientScope, type Scope } from "./scopes.ts";

/** How long a code can be used, and the token that it was exchanged for, in milliseconds. */
export const CODE_MS = 60_000;
export const PASS_MS = 12 * 60 * 60_000;
/** Codes and tokens at a time; the oldest makes room for a new one. */
const MOST = 64;
const BYTES = 32;

interface Pass {
  scopes: readonly Scope[];
  ended: AbortController;
  timer: NodeJS.Timeout;
}

/**
 * Lets programs in that cannot read a token from a file, such as a page in the browser: a code that works once and for a minute is
 * exchanged for a token that ends with the host. Nothing of it is stored, neither are codes and tokens kept as they are.
 */
export class Passes {
  private readonly codes = new Map<string, Pass>();
  private readonly tokens = new Map<string, Pass>();

  /** Makes a code for a token with these scopes. */
  issue(scopes: readonly Scope[]): string {
    return add(this.codes, scopes, CODE_MS);
  }

  /** Exchanges a code for a token; undefined for a code that is unknown, was used, or is too old. */
  redeem(code: string): { token: string; scopes: readonly Scope[] } | undefined {
    const found = this.codes.get(digestOf(code));
    if (!found) return undefined;
    remove(this.codes, digestOf(code));
    return { token: add(this.tokens, found.scopes, PASS_MS), scopes: found.scopes };
  }

  grant(token: string | undefined): Grant | undefined {
    // The digest of a guess says nothing about another one, so looking it up takes as long for every guess.
    const identity = digestOf(token ?? "");
    const pass = this.tokens.get(identity);
    if (!pass) return undefined;
    const { scopes, ended } = pass;
    return { name: "page", identity, scope: clientScope(scopes), scopes, revoked: ended.signal };
  }

  /** Ends all codes and tokens, and the connections that use them. */
  end(): void {
    for (const passes of [this.codes, this.tokens]) for (const digest of [...passes.keys()]) remove(passes, digest);
  }
}

function add(passes: Map<string, Pass>, scopes: readonly Scope[], ms: number): string {
  const [oldest] = passes.keys();
  if (passes.size >= MOST && oldest !== undefined) remove(passes, oldest);
  const secret = `scorel_${randomBytes(BYTES).toString("base64url")}`;
  const digest = digestOf(secret);
  const timer = setTimeout(() => remove(passes, digest), ms);
  timer.unref();
  passes.set(digest, { scopes, ended: revocation(), timer });
  return secret;
}

function remove(passes: Map<string, Pass>, digest: string): void {
  const pass = passes.get(digest);
  passes.delete(digest);
  clearTimeout(pass?.timer);
  pass?.ended.abort();
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
