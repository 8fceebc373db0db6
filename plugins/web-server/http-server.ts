import { createServer, type Server } from "node:http";
import { errors } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { Settings } from "./settings.ts";

const MAX_HEADER_BYTES = 16 * 1024;
/** Milliseconds for a whole request to arrive, and for the next request on the same connection. */
const REQUEST_MS = 30_000;
const IDLE_MS = 5_000;

/** Creates an HTTP server, or an HTTPS server if there is a certificate. Throws WEB_TLS. */
export async function createFor(tls: Settings["tls"]): Promise<Server> {
  const options = {
    // `createVetting` decides about requests without a Host header.
    requireHostHeader: false,
    headersTimeout: LIMITS.deadlineMs,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  if (!tls) return createServer(options);
  const https = await import("node:https");
  try {
    return https.createServer({ ...options, ...tls, handshakeTimeout: LIMITS.deadlineMs });
  } catch (thrown) {
    throw errors.WEB_TLS({ problem: (thrown as Error).message }, { cause: thrown });
  }
}
