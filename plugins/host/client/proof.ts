/** The proof that a host must give before it is sent a token. Runs in browsers, too. */

import { proofText, TOKEN_ID, tokenIdText } from "@scorel/kit/values/host-proof";
import { readMessage } from "./checks.ts";
import { errors } from "./errors.ts";
import { remoteError } from "./remote-error.ts";
import type { Challenge, Channel, ChannelHandlers } from "./wire.ts";

const NONCE_BYTES = 32;
/** Characters of the longest answer that is looked at. */
const MAX_ANSWER = 64 * 1024;

/**
 * Asks the other end of a channel to prove that it knows the token, and returns the channel when it has. While a host does not run,
 * any user of its computer can listen at its port. Throws LINK_UNPROVEN, and LINK_INSECURE where the browser cannot check a proof.
 */
export async function provenChannel(channel: Channel, token: string): Promise<Channel> {
  const { authority = "" } = channel;
  const { challenge, isProof } = await challengeFor(token, authority);
  const { answer, proven } = reopenable(channel, authority);
  channel.send(JSON.stringify(challenge));
  const text = await answer;
  const message = text.length > MAX_ANSWER ? undefined : readMessage(text);
  // A host that stops or is full says so before anything else, and to strangers, too.
  if (message?.type === "closing" && message.retry)
    throw Object.assign(remoteError(message.error), { retryAfter: message.retryAfter });
  const said = message?.type === "closing" ? remoteError(message.error).message : undefined;
  if (message?.type !== "proof" || !(await isProof(message.proof)))
    throw errors.LINK_UNPROVEN({ address: authority, said });
  return proven;
}

async function challengeFor(
  token: string,
  authority: string,
): Promise<{ challenge: Challenge; isProof(proof: string): Promise<boolean> }> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) throw Object.assign(errors.LINK_INSECURE({ address: authority }), { fatal: true });
  const digest = await subtle.digest("SHA-256", bytesOf(token));
  const id = await idOf(digest);
  const nonce = hex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)).buffer);
  const key = await subtle.importKey("raw", digest, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  return {
    challenge: { type: "prove", id, nonce, authority },
    // It takes as long for each wrong proof.
    isProof: (proof) => subtle.verify("HMAC", key, fromHex(proof), bytesOf(proofText(nonce, authority))),
  };
}

/** What the host calls a token by. It tells nothing about the token. */
export async function tokenId(token: string): Promise<string> {
  return idOf(await crypto.subtle.digest("SHA-256", bytesOf(token)));
}

async function idOf(digest: ArrayBuffer): Promise<string> {
  return hex(await crypto.subtle.digest("SHA-256", bytesOf(tokenIdText(hex(digest))))).slice(0, TOKEN_ID);
}

/** The first message that comes over a channel, and the same channel for whoever uses it afterwards. */
function reopenable(channel: Channel, address: string): { answer: Promise<string>; proven: Channel } {
  const early: string[] = [];
  let user: ChannelHandlers | undefined;
  let end: { reason: string | undefined } | undefined;
  let isAnswered = false;
  const answer = new Promise<string>((resolve, reject) =>
    channel.open({
      message: (text) => {
        if (user) user.message(text);
        else if (isAnswered) early.push(text);
        else {
          isAnswered = true;
          resolve(text);
        }
      },
      closed: (reason) => {
        end = { reason };
        reject(errors.LINK_CLOSED({ reason, address }));
        user?.closed(reason);
      },
    }),
  );
  const open = (handlers: ChannelHandlers) => {
    user = handlers;
    for (const text of early.splice(0)) handlers.message(text);
    if (end) handlers.closed(end.reason);
  };
  return { answer, proven: { send: (text) => channel.send(text), close: () => channel.close(), open } };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of a text in hex; what is none has no bytes of a proof. */
function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const pairs = /^[\da-f]{64}$/.test(text) ? (text.match(/../g) ?? []) : [];
  return new Uint8Array(pairs.map((pair) => Number.parseInt(pair, 16)));
}
