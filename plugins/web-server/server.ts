import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Listening } from "@scorel/gateway/contract";
import { codeOf } from "@scorel/kernel";
import type { Grant, WebRoute } from "./contract.ts";
import { errors } from "./errors.ts";
import { codeIn, EXCHANGE } from "./exchange.ts";
import { Connections, LIMITS, type Limits } from "./limits.ts";
import { Passes } from "./passes.ts";
import { end, endForNow, endWell, headers, refuse } from "./replies.ts";
import type { Settings } from "./settings.ts";
import { TokenCheck } from "./tokens.ts";
import { createVetting, type Refusal } from "./vetting.ts";

/** Connections at a time that are accepted, so that further ones than those that are used can be told so. */
const MOST_CONNECTIONS = 2_048;
const MAX_HEADER_BYTES = 16 * 1024;
/** Time for a whole request to arrive, for the next one on the same connection, and for closing. */
const REQUEST_MS = 30_000;
const IDLE_MS = 5_000;
const CLOSE_MS = 1_000;

export interface ServerOptions extends Settings {
  routes: readonly WebRoute[];
  names: readonly string[];
  origins: readonly string[];
  logger: { warn(message: string, thrown?: unknown): void };
  limits?: Partial<Limits> | undefined;
}

/** Starts the web server. Throws WEB_LISTEN and WEB_TLS. */
export async function startServer(options: ServerOptions): Promise<Listening & { passes: Passes }> {
  const { port, bind, tls } = options;
  const server = await createFor(tls);
  const web = new WebServer(server, options);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (thrown) => {
      web.end();
      reject(errors.WEB_LISTEN({ address: `${bind}:${port}`, reason: codeOf(thrown) }, { cause: thrown }));
    });
    server.listen({ port, host: bind }, resolve);
  });
  return { address: web.open(), passes: web.passes, refuse: () => web.refuse(), close: () => web.close() };
}

async function createFor(tls: Settings["tls"]): Promise<Server> {
  const options = {
    // The server itself decides about requests without this header.
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

class WebServer {
  private readonly server: Server;
  private readonly options: ServerOptions;
  private readonly limits: Limits;
  private readonly connections: Connections;
  private readonly tokens: TokenCheck;
  readonly passes = new Passes();
  private readonly sockets = new Set<Socket>();
  /** Connections for which there was no room. */
  private readonly surplus = new WeakSet<Socket>();
  private isStopping = false;
  private vet: (request: IncomingMessage) => Refusal | undefined = () => 421;

  constructor(server: Server, options: ServerOptions) {
    this.server = server;
    this.options = options;
    this.limits = { ...LIMITS, ...options.limits };
    this.connections = new Connections(this.limits);
    this.tokens = new TokenCheck({
      failed: (thrown) => options.logger.warn("The tokens cannot be read", thrown),
      changed: () => this.passes.end(),
    });
    server.maxConnections = MOST_CONNECTIONS;
    server.on("connection", (socket) => this.connections.enter(socket));
    server.on(options.tls ? "secureConnection" : "connection", (socket: Socket) => this.follow(socket));
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.answer(request, response);
    server.on("request", answer);
    server.on("checkContinue", answer);
    server.on("upgrade", (request, socket, head) => void this.upgrade(request, socket, head));
    server.on("clientError", (_thrown, socket) => refuse(socket, 400));
  }

  /** The server listens: returns its address. */
  open(): string {
    const { bind, tls, names, origins } = this.options;
    const { port, family } = this.server.address() as AddressInfo;
    const scheme = tls ? "https" : "http";
    this.vet = createVetting({ scheme, bind, port, names, origins });
    return `${scheme}://${family === "IPv6" ? `[${bind}]` : bind}:${port}`;
  }

  /** Lets what is being answered go on, and takes nothing more. */
  refuse(): void {
    this.isStopping = true;
  }

  async close(): Promise<void> {
    this.end();
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroySoon();
    const limit = setTimeout(() => {
      for (const socket of this.sockets) socket.destroy();
    }, CLOSE_MS);
    await closed;
    clearTimeout(limit);
  }

  end(): void {
    this.tokens.end();
    this.passes.end();
  }

  private grant(token: string | undefined): Grant | undefined {
    return this.tokens.grant(token) ?? this.passes.grant(token);
  }

  private follow(socket: Socket): void {
    if (this.sockets.size >= this.limits.connections) this.surplus.add(socket);
    this.sockets.add(socket);
    socket.once("close", () => this.sockets.delete(socket));
    // Errors of a connection that was taken over and has no listener of its own must not end the process.
    socket.on("error", () => socket.destroy());
  }

  /** Why a request cannot be taken now. */
  private reasonToWait(socket: Socket): string | undefined {
    if (this.isStopping) return "The host stops.";
    return this.surplus.has(socket) ? "The host has too many connections." : undefined;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const refusal = this.vet(request);
    if (refusal !== undefined) return end(response, refusal);
    const reason = this.reasonToWait(request.socket);
    if (reason !== undefined) return endForNow(response, reason);
    const path = pathOf(request);
    if (path === "/healthz") return request.method === "GET" ? endWell(response) : end(response, 405);
    if (path === EXCHANGE) return this.exchange(request, response);
    const grant = this.grant(bearer(request));
    if (!grant) return this.turnAway(request, response);
    this.connections.settle(request.socket);
    const route = this.routeOf(path);
    if (!route?.request) return end(response, 404);
    if (!(route.methods ?? ["GET"]).includes(request.method as "GET")) return end(response, 405);
    if (request.headers.expect !== undefined) response.writeContinue();
    // A token that is replaced ends its answers that are still being written, too.
    const cut = () => response.destroy();
    grant.revoked.addEventListener("abort", cut, { once: true });
    response.once("close", () => grant.revoked.removeEventListener("abort", cut));
    try {
      await route.request(request, response, grant);
    } catch (thrown) {
      this.options.logger.warn(`${request.method} ${path} failed`, thrown);
      if (response.headersSent) response.destroy();
      else end(response, 500);
    }
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const refusal = this.vet(request);
    if (refusal !== undefined) return refuse(socket, refusal);
    const reason = this.reasonToWait(request.socket);
    if (reason !== undefined) return refuse(socket, 503, reason);
    const given = bearer(request);
    const grant = this.grant(given);
    if (!grant && request.headers.authorization !== undefined) return refuse(socket, this.mayFail(request) ? 401 : 429);
    const path = pathOf(request);
    const route = this.routeOf(path);
    if (!route?.upgrade) return refuse(socket, grant ? 404 : 401);
    if (grant) this.connections.settle(socket as Socket);
    try {
      await route.upgrade(request, socket, head, { grant, admit: (token) => this.admit(request, token) });
    } catch (thrown) {
      this.options.logger.warn(`The connection to ${path} failed`, thrown);
      socket.destroy();
    }
  }

  private admit(request: IncomingMessage, token: string | undefined): Grant {
    const grant = this.grant(token);
    if (!grant) {
      if (!this.mayFail(request)) request.socket.destroy();
      throw errors.WEB_TOKEN();
    }
    this.connections.settle(request.socket);
    return grant;
  }

  /** Gives a token for a code. A wrong one counts as a wrong token. */
  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const code = await codeIn(request).catch(() => 400);
    if (typeof code === "number") return end(response, code);
    const pass = this.passes.redeem(code);
    if (!pass) return end(response, this.mayFail(request) ? 401 : 429);
    this.connections.settle(request.socket);
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(pass));
  }

  private turnAway(request: IncomingMessage, response: ServerResponse): void {
    // Without any token there is nothing to guess.
    if (request.headers.authorization !== undefined && !this.mayFail(request)) end(response, 429);
    else {
      response.setHeader("WWW-Authenticate", "Bearer");
      end(response, 401);
    }
  }

  private mayFail({ socket }: IncomingMessage): boolean {
    return this.connections.mayFail(socket.remoteAddress);
  }

  private routeOf(path: string): WebRoute | undefined {
    const { routes } = this.options;
    // A plugin that takes the URL apart would get another path, for which other methods may be allowed.
    if (!isPlain(path)) return undefined;
    return (
      routes.find((route) => route.path === path) ??
      routes.find((route) => route.path.endsWith("/") && path.startsWith(route.path))
    );
  }
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] as string;
}

/** Whether a path stays as it is in a URL: without `..`, `//` at its beginning, backslashes and the like. */
function isPlain(path: string): boolean {
  const url = `http://localhost${path}`;
  return !path.startsWith("//") && URL.canParse(url) && new URL(url).pathname === path;
}

/** The token in the header `Authorization`, if there is exactly one such header. */
function bearer({ headersDistinct }: IncomingMessage): string | undefined {
  const [value = "", ...more] = headersDistinct.authorization ?? [];
  return more.length === 0 ? /^Bearer ([\w.~+/=-]+)$/i.exec(value)?.[1] : undefined;
}
