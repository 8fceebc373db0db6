import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** Seconds for which an authorization is valid. Push services accept at most a day. */
const TOKEN_S = 12 * 60 * 60;
/** First byte of an uncompressed P-256 point; 64 bytes follow. */
const UNCOMPRESSED = 0x04;

/** Makes the key by which push services know this host, in the form in which it is stored: PKCS #8 in base64. */
export function newPushKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
}

/** The public part of a stored key, for browsers and push services: the point in base64url. Throws for an invalid key. */
export function publicPartOf(stored: string): string {
  return pointOf(keyIn(stored)).toString("base64url");
}

/**
 * The value of the header that proves to a push service that a push comes from the host for which the browser has subscribed (RFC 8292).
 * `contact` is a URL under which the push service's operators can reach the people of the host.
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
