import { verifyHello } from "../protocol/identity.ts";
import type { Primitives } from "../protocol/primitives.ts";
import type { SignedHello } from "./bus/messages.ts";

/** Finds the name of this relay for which a peer has signed its hello; undefined if there is none. */
export async function signedFor(
  primitives: Primitives,
  { nonce, hello }: Pick<SignedHello, "nonce" | "hello">,
  authorities: Iterable<string>,
): Promise<string | undefined> {
  for (const authority of authorities) if (await isGenuine(primitives, { nonce, hello, authority })) return authority;
  return undefined;
}

/** Whether a hello was signed with the keys that it names. */
export function isGenuine(primitives: Primitives, { nonce, authority, hello }: SignedHello): Promise<boolean> {
  return verifyHello(primitives, { ...hello, nonce, authority }, hello.signature);
}
