import { errors } from "../errors.ts";
import { base64url, fromBase64url } from "../protocol/bytes.ts";
import { grantFrom } from "../protocol/grants.ts";
import type { Identity } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";
import { hostRecord } from "./devices.ts";

/**
 * Returns a new grant for a paired device, by its id. It has the serial number of the old grant, so that revoking the old one also revokes
 * this one. Throws RELAY_NOT_PAIRED.
 */
export async function grantAnew(identity: Identity, device: string): Promise<{ grant: string }> {
  const known = hostRecord().devices.find(({ id }) => id === device);
  if (!known) throw errors.RELAY_NOT_PAIRED();
  const clientId = fromBase64url(known.id) as Bytes;
  const grant = await grantFrom(identity, { clientId, serial: BigInt(known.serial) }, Date.now());
  return { grant: base64url(grant) };
}
