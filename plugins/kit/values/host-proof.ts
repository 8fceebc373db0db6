/**
 * The texts of the proof that a host knows a token, which both ends compute. Before a client sends its token, it asks for
 * HMAC-SHA-256(SHA-256(token), proofText(…)). Runs in browsers, too.
 */

/** Characters of the name by which a client says which token it is about. */
export const TOKEN_ID = 16;

/** Its SHA-256 in hex, cut to `TOKEN_ID` characters, names the token. Neither the token nor its digest can be found out from it. */
export function tokenIdText(digest: string): string {
  return `scorel token id\n${digest}`;
}

/**
 * What is authenticated: a nonce of the client, so that no earlier answer will do, and the host and port that it has connected to, so
 * that nobody at another address can pass the question on.
 */
export function proofText(nonce: string, authority: string): string {
  return `scorel host proof\n${nonce}\n${authority}`;
}
