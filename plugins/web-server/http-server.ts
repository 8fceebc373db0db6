import { createServer, IncomingMessage, type Server } from "node:http";
import { errors } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { Settings } from "./settings.ts";

const MAX_HEADER_BYTES = 16 * 1024;
/**
 * Milliseconds for a whole request to arrive, and for the next request on the same connection. Plugins that read bodies have shorter limits,
 * since they can say what was too slow.
 */
const REQUEST_MS = 75_000;
const IDLE_MS = 5_000;

/**
 * A request whose offer of another protocol than WebSocket is ignored. Node.js takes each offer as accepted as soon as the server accepts
 * any, but programs in Java, for example, offer HTTP/2 with every first request.
 */
class Request extends IncomingMessage {
  private offers = false;

  get upgrade(): boolean {
    return this.offers && this.headers.upgrade?.toLowerCase() === "websocket";
  }

  /** Set by Node.js before the headers are known. */
  set upgrade(offers: boolean) {
    this.offers = offers;
  }
}

/** Creates an HTTP server, or an HTTPS server if there is a certificate. Throws WEB_TLS. */
export async function createFor(tls: Settings["tls"]): Promise<Server> {
  const options = {
    IncomingMessage: Request,
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
