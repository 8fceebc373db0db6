import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf, messageOf } from "@scorel/kernel";
import { WebSocketServer } from "ws";
import type { PageFiles } from "../contract.ts";
import { errors } from "../errors.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { SUBPROTOCOL } from "../protocol/payloads.ts";
import type { Bus } from "./bus/bus.ts";
import { InProcessHub } from "./bus/in-process.ts";
import { Connections } from "./connections.ts";
import { addressKey, DEFAULT_LIMITS, type RelayLimits } from "./limits.ts";
import { Relay } from "./relay.ts";
import type { Revocations } from "./revocations.ts";
import type { Settings } from "./settings.ts";
import { feed, SOCKET_OPTIONS, socketOf } from "./socket.ts";

const SWEEP_MS = 1_000;
const CHECK_MS = 300;
const MAX_HEADER_BYTES = 8 * 1024;
/** Milliseconds between checks for requests that have not arrived in time. */
const CHECK_REQUESTS_MS = 1_000;
const NOT_FOUND = "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n";
/** Addresses that mean all addresses of this computer. */
const ANYWHERE = ["0.0.0.0", "::"];

/** A relay that accepts connections. */
export interface ListeningRelay {
  relay: Relay;
  port: number;
  /** Such as `ws://127.0.0.1:7800/relay`. */
  address: string;
  close(): Promise<void>;
}

interface Running {
  revocations: Revocations;
  limits?: RelayLimits;
  /** The connection to the owner's other relays. Without it, the relay works alone. */
  bus?: Bus;
  /** Answers all HTTP requests that are not for the relay itself. */
  page?: PageFiles;
  warn(message: string): void;
}

/** Starts to accept peers. Throws RELAY_LISTEN, RELAY_TLS. */
export async function listenAsRelay(
  settings: Settings,
  { revocations, limits = DEFAULT_LIMITS, bus = new InProcessHub().join(), page, warn }: Running,
): Promise<ListeningRelay> {
  const { bind, tls, names, behindProxy } = settings;
  const server = await serverFor(tls, limits);
  const connections = new Connections(server, { limits, behindProxy, isTls: tls !== undefined });
  server.on("request", (request, response) => void answer(request, response, { page, warn }));
  await listening(server, settings);
  const { port } = server.address() as AddressInfo;
  const own = authoritiesOf({ bind, port, isTls: tls !== undefined });
  const now = () => performance.now();
  const authorities = () => [...names, ...own];
  const wallClock = Date.now;
  const relay = new Relay({ primitives: nodeCrypto, limits, revocations, bus, warn, authorities, now, wallClock });
  const sockets = new WebSocketServer({
    ...SOCKET_OPTIONS,
    noServer: true,
    clientTracking: false,
    handleProtocols: () => SUBPROTOCOL,
  });
  server.on("upgrade", (request, connection, head) => {
    // Destroyed after the answer, since the other end may never close its direction.
    if (!isForRelay(request)) return void connection.end(NOT_FOUND, () => connection.destroy());
    sockets.handleUpgrade(request, connection, head, (socket) => {
      connections.settle(request.socket);
      feed(socket, relay.accept(socketOf(socket), addressKey(addressOf(request, behindProxy))), now);
    });
  });
  const timers = [setInterval(() => relay.sweep(), SWEEP_MS), setInterval(() => relay.checkNeighbours(), CHECK_MS)];
  const scheme = tls ? "wss" : "ws";
  return {
    ...{ relay, port, address: `${scheme}://${own[0]}/relay` },
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([connections.close(), relay.stop()]);
    },
  };
}

async function serverFor(tls: Settings["tls"], { requestMs }: RelayLimits): Promise<Server> {
  const options = {
    ...{ maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: CHECK_REQUESTS_MS },
    ...{ headersTimeout: requestMs, requestTimeout: requestMs },
  };
  if (!tls) return createServer(options);
  const https = await import("node:https");
  try {
    return https.createServer({ ...options, ...tls, handshakeTimeout: requestMs });
  } catch (thrown) {
    throw errors.RELAY_TLS({ problem: (thrown as Error).message }, { cause: thrown });
  }
}

/** Answers requests that are not WebSocket connections of peers. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { page, warn }: Pick<Running, "page" | "warn">,
): Promise<void> {
  const plain = (status: number, text: string) =>
    void response.writeHead(status, { "Content-Type": "text/plain" }).end(text);
  if (request.url === "/healthz") return plain(200, "ok\n");
  if (!page) return plain(404, "not found\n");
  try {
    await page.answer(request, response);
  } catch (thrown) {
    warn(`The page could not be sent: ${messageOf(thrown)}`);
    if (response.headersSent) response.destroy();
    else plain(500, "failed\n");
  }
}

function listening(server: Server, { bind, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (thrown) => {
      reject(errors.RELAY_LISTEN({ address: `${bind}:${port}`, reason: codeOf(thrown) }, { cause: thrown }));
    });
    server.listen(port, bind, resolve);
  });
}

/** Whether a request is for the relay. Also true below the path prefix of a proxy. */
function isForRelay({ url = "", headers }: IncomingMessage): boolean {
  const asked = String(headers["sec-websocket-protocol"] ?? "").split(",");
  return /(^|\/)relay$/.test(url.split("?")[0] as string) && asked.some((each) => each.trim() === SUBPROTOCOL);
}

function addressOf({ socket, headers }: IncomingMessage, behindProxy: boolean): string {
  const { remoteAddress = "" } = socket;
  const named = behindProxy ? headers["x-forwarded-for"] : undefined;
  // The last address is the one that the proxy itself has seen; the client could forge those before it.
  return named === undefined ? remoteAddress : (String(named).split(",").at(-1) as string).trim();
}

/** The names by which this computer itself reaches the relay. */
function authoritiesOf({ bind, port, isTls }: { bind: string; port: number; isTls: boolean }): string[] {
  const end = port === (isTls ? 443 : 80) ? "" : `:${port}`;
  const shown = bind.includes(":") ? `[${bind}]` : bind;
  const local = ["127.0.0.1", "localhost", "[::1]"];
  return [...(ANYWHERE.includes(bind) ? [] : [shown]), ...local.filter((name) => name !== shown)].map(
    (name) => name + end,
  );
}
