import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** How long a push service may take a request for one of this host, in seconds. They take at most a day. */
const TOKEN_S = 12 * 60 * 60;
/** What stands before the 64 bytes of a point of P-256 that is not compressed. */
const UNCOMPRESSED = 0x04;

/** Makes the key by which push services know this host, as it is stored: PKCS #8 in base64. */
export function newPushKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
}

/** The public half of a stored key, as browsers and push services take it: the point in base64url. Throws for any other text. */
export function publicPartOf(stored: string): string {
  return pointOf(keyIn(stored)).toString("base64url");
}

/**
 * The header by which a push service knows that a push comes from the host that the browser has named (RFC 8292). `contact` is where the
 * people who run it find those of the host.
 */
export function authorizationFor(endpoint: URL, stored: string, contact: string, now = Date.now()): string {
  const key = keyIn(stored);
  const claims = { aud: endpoint.origin, exp: Math.floor(now / 1_000) + TOKEN_S, sub: contact };
  const text = [{ typ: "JWT", alg: "ES256" }, claims].map(encoded).join(".");
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${text}.${signature.toString("base64url")}, k=${pointOf(key).toString("base64url")}`;
}

function keyIn(stored: string): KeyObject {
  const key = createPrivateKey({ key: Buffer.from(stored, "base64"), type: "pkcs8", format: "der" });
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw new Error("its key is not one of P-256");
  return key;
}

function pointOf(key: KeyObject): Buffer {
  const { x = "", y = "" } = createPublicKey(key).export({ format: "jwk" });
  return Buffer.concat([Buffer.of(UNCOMPRESSED), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
