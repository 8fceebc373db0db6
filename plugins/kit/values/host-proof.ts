/**
 * The texts for the proof that a host knows a token. Both client and host compute it. Before a client sends its token, it asks for
 * HMAC-SHA-256(SHA-256(token), proofText(…)). Runs in browsers, too.
 */

/** Number of characters of a token's id, by which a client says which token it has. */
export const TOKEN_ID = 16;

/** The SHA-256 of this text in hex, cut to `TOKEN_ID` characters, is the token's id. It reveals neither the token nor its digest. */
export function tokenIdText(digest: string): string {
  return `scorel token id\n${digest}`;
}

/**
 * The text that the host authenticates. It contains a nonce of the client, so that an earlier answer cannot be replayed, and the host and
 * port that the client has connected to, so that a program at another address cannot relay the challenge.
 */
export function proofText(nonce: string, authority: string): string {
  return `scorel host proof\n${nonce}\n${authority}`;
}
