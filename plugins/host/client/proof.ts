/** Verifies that a host knows the client's token, before the token is sent to it. Runs in browsers, too. */

import { proofText, TOKEN_ID, tokenIdText } from "@scorel/kit/values/host-proof";
import { readMessage } from "./checks.ts";
import { errors } from "./errors.ts";
import { remoteError } from "./remote-error.ts";
import type { Challenge, Channel, ChannelHandlers } from "./wire.ts";

const NONCE_BYTES = 32;
/** Maximum length of an answer, in characters. */
const MAX_ANSWER = 64 * 1024;

/**
 * Asks the other end of a channel to prove that it knows the token, and then returns the channel. Needed because any user of the host's
 * computer can listen at its port while the host is not running. Throws LINK_UNPROVEN, and LINK_INSECURE if the browser cannot check a
 * proof.
 */
export async function provenChannel(channel: Channel, token: string): Promise<Channel> {
  const { authority = "" } = channel;
  const { challenge, isProof } = await challengeFor(token, authority);
  const { answer, proven } = reopenable(channel, authority);
  channel.send(JSON.stringify(challenge));
  const text = await answer;
  const message = text.length > MAX_ANSWER ? undefined : readMessage(text);
  // A host that is stopping or full says so first, even to clients that have not proved anything.
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
    // Takes the same time for every wrong proof.
    isProof: (proof) => subtle.verify("HMAC", key, fromHex(proof), bytesOf(proofText(nonce, authority))),
  };
}

/** The id by which the host knows a token. It reveals nothing about the token. */
export async function tokenId(token: string): Promise<string> {
  return idOf(await crypto.subtle.digest("SHA-256", bytesOf(token)));
}

async function idOf(digest: ArrayBuffer): Promise<string> {
  return hex(await crypto.subtle.digest("SHA-256", bytesOf(tokenIdText(hex(digest))))).slice(0, TOKEN_ID);
}

/** Receives the first message (`answer`) of a channel. `proven` is the same channel, which can be opened again for further messages. */
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
  const proven: Channel = {
    get received() {
      return channel.received ?? 0;
    },
    get unsent() {
      return channel.unsent ?? 0;
    },
    send: (text) => channel.send(text),
    close: () => channel.close(),
    open,
  };
  return { answer, proven };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Decodes a proof: 32 bytes as 64 hex digits. Returns no bytes for any other text. */
function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const pairs = /^[\da-f]{64}$/.test(text) ? (text.match(/../g) ?? []) : [];
  return new Uint8Array(pairs.map((pair) => Number.parseInt(pair, 16)));
}
