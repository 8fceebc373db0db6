import { createHash, createHmac, randomBytes } from "node:crypto";
import { proofText, TOKEN_ID, tokenIdText } from "@scorel/kit/values/host-proof";
import { errors } from "./errors.ts";
import { stamp } from "./token-store.ts";

const KEY_BYTES = 32;

interface Known {
  /** The digests of the tokens that this host knows, also of those that have ended, in hex. */
  digests(): string[];
}

/** Proves to clients that this host knows their token, before they send it. */
export class Proofs {
  /** Hosts and ports that lead to this host and to no other program. */
  authorities: ReadonlySet<string> = new Set();
  private readonly tokens: Known;
  private readonly strangersKey = randomBytes(KEY_BYTES);
  private seen: string | undefined;
  /** The digests by the ids of their tokens. */
  private known: ReadonlyMap<string, Buffer> = new Map();

  constructor(tokens: Known) {
    this.tokens = tokens;
  }

  /** The proof in hex. For a token that is not known it is as good as random. Throws WEB_AUTHORITY for an address that is not this host's. */
  answer({ id, nonce, authority }: { id: string; nonce: string; authority: string }): string {
    if (!this.authorities.has(authority)) throw errors.WEB_AUTHORITY({ authority });
    const key = this.digests().get(id) ?? createHmac("sha256", this.strangersKey).update(id).digest();
    return createHmac("sha256", key).update(proofText(nonce, authority)).digest("hex");
  }

  /** The file is read once for each change, so that a question of a stranger costs little. */
  private digests(): ReadonlyMap<string, Buffer> {
    const seen = stamp();
    if (seen === this.seen) return this.known;
    this.known = new Map(this.tokens.digests().map((digest) => [idOf(digest), Buffer.from(digest, "hex")]));
    this.seen = seen;
    return this.known;
  }
}

/** What clients call a token by, from its digest. */
export function idOf(digest: string): string {
  return createHash("sha256").update(tokenIdText(digest)).digest("hex").slice(0, TOKEN_ID);
}
