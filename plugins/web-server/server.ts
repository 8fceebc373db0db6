import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Listening } from "@scorel/gateway/contract";
import { codeOf, ScorelError } from "@scorel/kernel";
import { Codes } from "./codes.ts";
import type { Grant, WebRoute } from "./contract.ts";
import { errors } from "./errors.ts";
import { codeIn, EXCHANGE } from "./exchange.ts";
import { createFor } from "./http-server.ts";
import { Connections, LIMITS, type Limits } from "./limits.ts";
import { makePageToken } from "./pages.ts";
import { Places } from "./places.ts";
import { Proofs } from "./proofs.ts";
import {
  answerHealthCheck,
  end,
  endForNow,
  headers,
  RETRY_AFTER_S,
  redirect,
  refuse,
  refuseForNow,
} from "./replies.ts";
import { bearer, isPlain, pathOf } from "./request.ts";
import type { Settings } from "./settings.ts";
import { TokenCheck } from "./token-check.ts";
import { betterAddress, createVetting, Names, type Refusal } from "./vetting.ts";

/** Most connections that are accepted. More than `LIMITS.connections`, so that the rest get an answer that says why they are refused. */
const MOST_CONNECTIONS = 2_048;
/** Milliseconds that connections have to close before they are destroyed. */
const CLOSE_MS = 1_000;

const STOPS = "The host stops.";

export interface ServerOptions extends Settings {
  routes: readonly WebRoute[];
  names: readonly string[];
  origins: readonly string[];
  pages: readonly string[];
  logger: { warn(message: string, thrown?: unknown): void };
  limits?: Partial<Limits> | undefined;
}

/** Starts the web server. Throws WEB_LISTEN, WEB_TLS. */
export async function startServer(options: ServerOptions): Promise<Listening & { codes: Codes }> {
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
  try {
    return { address: web.open(), codes: web.codes, refuse: () => web.refuse(), close: () => web.close() };
  } catch (thrown) {
    // Otherwise a process that goes on would hold the port, and refuse every request.
    await web.close();
    throw thrown;
  }
}

class WebServer {
  private readonly server: Server;
  private readonly options: ServerOptions;
  private readonly limits: Limits;
  private readonly connections: Connections;
  private readonly places: Places;
  private readonly tokens: TokenCheck;
  readonly codes = new Codes();
  private readonly sockets = new Set<Socket>();
  private isStopping = false;
  private vet: (request: IncomingMessage) => Refusal | undefined = () => 421;
  private readonly proofs: Proofs;

  constructor(server: Server, options: ServerOptions) {
    this.server = server;
    this.options = options;
    this.limits = { ...LIMITS, ...options.limits };
    this.connections = new Connections(this.limits);
    this.places = new Places(this.limits);
    this.tokens = new TokenCheck({
      failed: (thrown) => options.logger.warn("The tokens cannot be read", thrown),
      changed: () => this.codes.end(),
    });
    this.proofs = new Proofs(this.tokens);
    server.maxConnections = MOST_CONNECTIONS;
    server.on("connection", (socket) => this.connections.enter(socket));
    server.on(options.tls ? "secureConnection" : "connection", (socket: Socket) => this.follow(socket));
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.answer(request, response);
    server.on("request", answer);
    server.on("checkContinue", answer);
    server.on("upgrade", (request, socket, head) => void this.upgrade(request, socket, head));
    server.on("clientError", (_thrown, socket) => refuse(socket, 400));
  }

  /** Applies the settings that depend on the port, once the server listens. Returns its address. */
  open(): string {
    const { bind, tls, names: further, origins, pages } = this.options;
    const { port, family } = this.server.address() as AddressInfo;
    const scheme = tls ? "https" : "http";
    const where = { scheme, bind, port, names: further, origins, pages } as const;
    const names = new Names(where);
    this.vet = createVetting(where, names);
    this.proofs.authorities = () => names.authorities;
    return `${scheme}://${family === "IPv6" ? `[${bind}]` : bind}:${port}`;
  }

  /** Refuses new requests and connections. Requests that are being answered go on. */
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
    this.codes.end();
  }

  private follow(socket: Socket): void {
    this.sockets.add(socket);
    socket.once("close", () => this.sockets.delete(socket));
    // An error on a connection that a route has taken over must not end the process if the route has no listener for it.
    socket.on("error", () => socket.destroy());
  }

  /** Gives a connection with a valid token a place. Returns an error if there is none. */
  private settle(socket: Socket, grant: Grant): ScorelError | undefined {
    const refusal = this.places.enter(socket, grant);
    if (!refusal) this.connections.settle(socket);
    return refusal;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const refusal = this.vet(request);
    if (refusal !== undefined) return end(response, refusal);
    if (this.isStopping) return endForNow(response, waiting(STOPS));
    const grant = this.tokens.grant(bearer(request));
    const path = pathOf(request);
    const open = path === "/healthz" ? answerHealthCheck : this.routeOf(path)?.open;
    if (grant && !open && path !== EXCHANGE) return this.answerAuthorized(request, response, grant);
    if (this.places.shortage) return endForNow(response, this.places.shortage);
    if (path === EXCHANGE) return this.attempt(request, response, () => this.exchange(request, response));
    if (!open) return this.refuseUnauthorized(request, response);
    if (request.method !== "GET") return end(response, 405);
    const better = betterAddress(request, this.proofs.authorities());
    if (better !== undefined) return redirect(response, better);
    this.connections.serve(request.socket);
    return this.attempt(request, response, () => open(request, response));
  }

  /** Answers a request that has a valid token. */
  private async answerAuthorized(request: IncomingMessage, response: ServerResponse, grant: Grant): Promise<void> {
    const full = this.settle(request.socket, grant);
    if (full) return endForNow(response, full);
    const path = pathOf(request);
    const route = this.routeOf(path);
    if (!route?.request) return end(response, 404);
    if (!(route.methods ?? ["GET"]).includes(request.method as "GET")) return end(response, 405);
    const counted = this.places.answer(grant);
    if (counted instanceof ScorelError) return endForNow(response, counted);
    response.once("close", counted.ended);
    if (request.headers.expect !== undefined) response.writeContinue();
    // When the token is replaced, answers that are still being sent are cut off, too.
    const cut = () => response.destroy();
    grant.revoked.addEventListener("abort", cut, { once: true });
    response.once("close", () => grant.revoked.removeEventListener("abort", cut));
    await this.attempt(request, response, () => route.request?.(request, response, grant));
  }

  private async attempt(request: IncomingMessage, response: ServerResponse, answer: () => unknown): Promise<void> {
    try {
      await answer();
    } catch (thrown) {
      this.options.logger.warn(`${request.method} ${pathOf(request)} failed`, thrown);
      if (response.headersSent) response.destroy();
      else end(response, 500);
    }
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const refusal = this.vet(request);
    if (refusal !== undefined) return refuse(socket, refusal);
    if (this.isStopping) return refuseForNow(socket, waiting(STOPS));
    const grant = this.tokens.grant(bearer(request));
    const full = grant ? this.settle(request.socket, grant) : this.places.shortage;
    if (full) return refuseForNow(socket, full);
    if (!grant && request.headers.authorization !== undefined) return refuse(socket, this.mayFail(request) ? 401 : 429);
    const path = pathOf(request);
    const route = this.routeOf(path);
    if (!route?.upgrade) return refuse(socket, grant ? 404 : 401);
    if (!grant) this.connections.awaitToken(request.socket);
    try {
      await route.upgrade(request, socket, head, {
        grant,
        prove: (asked) => this.proofs.answer(asked),
        admit: (token) => this.admit(request, token),
      });
    } catch (thrown) {
      this.options.logger.warn(`The connection to ${path} failed`, thrown);
      socket.destroy();
    }
  }

  private admit(request: IncomingMessage, token: string | undefined): Grant {
    const grant = this.tokens.grant(token);
    if (!grant) {
      if (!this.mayFail(request)) request.socket.destroy();
      throw errors.WEB_TOKEN();
    }
    const full = this.settle(request.socket, grant);
    if (full) throw Object.assign(full, { retryAfter: RETRY_AFTER_S });
    return grant;
  }

  /** Answers with a token in exchange for a code. A wrong code counts as a wrong token. */
  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const code = await codeIn(request).catch(() => 400);
    if (typeof code === "number") return end(response, code);
    const entry = this.codes.redeem(code);
    if (!entry) return end(response, this.mayFail(request) ? 401 : 429);
    const token = await makePageToken(entry.scopes);
    this.connections.settle(request.socket);
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ token, ...entry }));
  }

  private refuseUnauthorized(request: IncomingMessage, response: ServerResponse): void {
    // Only requests with a token count as attempts to guess one.
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
    // A plugin that parses the URL would see another path, for which other methods may be allowed.
    if (!isPlain(path)) return undefined;
    return (
      routes.find((route) => route.path === path) ??
      routes.find((route) => route.path.length > 1 && route.path.endsWith("/") && path.startsWith(route.path))
    );
  }
}

function waiting(reason: string): ScorelError {
  return errors.WEB_WAIT({ reason, seconds: RETRY_AFTER_S });
}
