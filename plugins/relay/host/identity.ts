import { Stored } from "@scorel/kit/files/stored";
import { z } from "zod";
import { errors } from "../errors.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { base64url, fromBase64url } from "../protocol/bytes.ts";
import { fitForCommands, type Identity, identityOf } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";

export const FOLDER = "relay";
const FILE = "identity.json";
const SECRET_BYTES = 32;

const secret = z.string().refine((text) => fromBase64url(text)?.length === SECRET_BYTES, "must be 32 bytes");
const schema = z.strictObject({ signing: secret, agreement: secret }).or(z.strictObject({}));
type Kept = { signing: string; agreement: string };

const stored = new Stored<Kept | Record<string, never>>({
  ...{ folder: FOLDER, file: FILE, empty: {}, failed: errors.RELAY_STORED },
  schema: schema as z.ZodType<Kept | Record<string, never>>,
});

/** The identity of this home for relays and paired computers. Made at the first call, and stored in a file that only its user can read. */
export async function homeIdentity(): Promise<Identity> {
  const known = stored.read();
  if ("signing" in known) return identify(known as Kept);
  const made = await fitForCommands(async () => fresh(), identify);
  // Another process may have stored its keys first: then those are used.
  return identify((await stored.change((now) => ("signing" in now ? now : made))) as Kept);
}

async function identify({ signing, agreement }: Kept): Promise<Identity> {
  const bytes = (text: string) => fromBase64url(text) as Bytes;
  const keys = [await nodeCrypto.signingKey(bytes(signing)), await nodeCrypto.agreementKey(bytes(agreement))] as const;
  return identityOf(nodeCrypto, ...keys);
}

/** The identity of this home; undefined if it has none yet. */
export async function knownIdentity(): Promise<Identity | undefined> {
  return "signing" in stored.read() ? homeIdentity() : undefined;
}

function fresh(): Kept {
  const random = () => base64url(nodeCrypto.random(SECRET_BYTES));
  return { signing: random(), agreement: random() };
}
