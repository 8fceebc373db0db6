import type { ArtifactVersion } from "@scorel/artifacts/contract";
import type { RemoteClient } from "@scorel/host/client";

/** Bytes per request. */
const PART = 2 ** 20;
/** The largest artifact that can be loaded, in bytes. Not every browser has memory for more. */
export const MOST_BYTES = 256 * 2 ** 20;

/** Fetches all bytes of an artifact in parts. Throws if they are not the bytes that were saved. */
export async function artifactBytes(
  client: RemoteClient,
  sessionId: string,
  { name, version, size, sha256 }: ArtifactVersion,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  for (let offset = 0; offset < size; offset += PART) {
    const { base64 } = await client.request("get_artifact", { sessionId, name, version, offset, length: PART });
    const part = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    bytes.set(part.subarray(0, size - offset), offset);
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found !== sha256) throw new Error(`The bytes of ${name} are not those that were saved.`);
  return bytes;
}
