import { createHash, createHmac, randomBytes } from "node:crypto";
import { proofText, TOKEN_ID, tokenIdText } from "@scorel/kit/values/host-proof";
import { errors } from "./errors.ts";
import { stamp } from "./token-store.ts";

const KEY_BYTES = 32;

interface Known {
  /** SHA-256 digests in hex of all tokens that this host knows, including those that have ended. */
  digests(): string[];
}

/** Proves to clients that this host knows their token before they send it. */
export class Proofs {
  /** Values of `host:port` that lead to this host and to no other program. */
  authorities: () => ReadonlySet<string> = () => new Set();
  private readonly tokens: Known;
  private readonly strangersKey = randomBytes(KEY_BYTES);
  private seen: string | undefined;
  /** Digests of tokens, by the ids of the tokens. */
  private known: ReadonlyMap<string, Buffer> = new Map();

  constructor(tokens: Known) {
    this.tokens = tokens;
  }

  /** Returns the proof in hex. For an unknown token it looks random. Throws WEB_AUTHORITY if the address is not one of this host. */
  answer({ id, nonce, authority }: { id: string; nonce: string; authority: string }): string {
    if (!this.authorities().has(authority)) throw errors.WEB_AUTHORITY({ authority });
    const key = this.digests().get(id) ?? createHmac("sha256", this.strangersKey).update(id).digest();
    return createHmac("sha256", key).update(proofText(nonce, authority)).digest("hex");
  }

  /** Reads the file only after a change, so that requests without a token stay cheap. */
  private digests(): ReadonlyMap<string, Buffer> {
    const seen = stamp();
    if (seen === this.seen) return this.known;
    this.known = new Map(this.tokens.digests().map((digest) => [idOf(digest), Buffer.from(digest, "hex")]));
    this.seen = seen;
    return this.known;
  }
}

/** Computes the id of a token from its digest. */
export function idOf(digest: string): string {
  return createHash("sha256").update(tokenIdText(digest)).digest("hex").slice(0, TOKEN_ID);
}
