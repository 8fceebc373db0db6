import type { ClientRequest, IncomingMessage } from "node:http";

/**
 * Sends a request, with this body, and resolves with its response. Rejects with the error of the request, and with ECONNRESET if the
 * connection is closed without a response, about which Node.js says nothing if the server switches to another protocol.
 */
export function responseTo(request: ClientRequest, body?: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on("response", resolve);
    request.on("error", reject);
    request.on("close", () =>
      reject(Object.assign(new Error("the server ended the connection"), { code: "ECONNRESET" })),
    );
    request.end(body);
  });
}

/** Like `responseTo`, but rejects like `fetch`: with a TypeError that has the error as its cause, or with the signal's reason. */
export async function fetchResponse(
  request: ClientRequest,
  body: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const abort = () => request.destroy(new Error("aborted"));
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  request.on("close", () => signal?.removeEventListener("abort", abort));
  try {
    return await responseTo(request, body);
  } catch (thrown) {
    throw signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause: thrown });
  }
}
