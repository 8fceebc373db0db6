import { createHash, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type HttpServer, startHttpServer } from "./http-server.ts";

interface Options {
  /** The address that the server states for itself and for the MCP server, if both are reached through a proxy. */
  origin?: string;
  /** Fields that replace those in the server's metadata. */
  metadata?: object;
  /** Whether its metadata endpoint redirects to itself. */
  redirects?: boolean;
  /** The address to which the token endpoint redirects. */
  sendOn?: string;
  /** The issuer that it states in the redirect to the client. Default: its own */
  iss?: string;
  /** Whether it issues no refresh tokens. */
  noRefresh?: boolean;
  /** A path whose requests are never answered, and a function that is called for each. */
  silent?: { path: string; asked(): void };
  /** Called before a token is renewed. */
  beforeRenewal?(): Promise<unknown>;
  /** The scope that tool calls need; without it they are answered with 403. */
  forCalls?: string;
}

export interface AuthServer extends AsyncDisposable {
  url: string;
  /** The port on which it listens. */
  port: number;
  /** The MCP server that accepts its tokens. */
  mcp: HttpServer;
  /** The forms of all requests for tokens. */
  asked: URLSearchParams[];
  /** Registered clients. */
  clients: any[];
  /** Invalidates all access tokens. */
  expire(): void;
  /** Invalidates all refresh tokens. */
  revoke(): void;
}

/** An authorization server on this computer that grants every login, and an MCP server that requires its tokens. */
export async function startAuthServer(options: Options = {}): Promise<AuthServer> {
  const asked: URLSearchParams[] = [];
  const clients: any[] = [];
  const codes = new Map<string, URLSearchParams>();
  const access = new Map<string, string>();
  const refresh = new Set<string>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    if (pathname === options.silent?.path) return options.silent.asked();
    if (pathname === "/resource") return json(response, { resource, authorization_servers: [url] });
    if (pathname === "/.well-known/oauth-authorization-server") {
      if (options.redirects) return void response.writeHead(302, { location: pathname }).end();
      return json(response, describe());
    }
    if (pathname === "/register") {
      clients.push({ ...JSON.parse(body), client_id: `client-${clients.length}` });
      return json(response, clients.at(-1), 201);
    }
    if (pathname === "/authorize") {
      const code = randomUUID();
      codes.set(code, searchParams);
      const back = new URL(searchParams.get("redirect_uri") as string);
      const state = searchParams.get("state") as string;
      for (const [name, value] of Object.entries({ code, state, iss: options.iss ?? url }))
        back.searchParams.set(name, value);
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (pathname !== "/token") return void response.writeHead(404).end();
    const form = new URLSearchParams(body);
    asked.push(form);
    if (form.get("grant_type") === "refresh_token") await options.beforeRenewal?.();
    if (options.sendOn) return void response.writeHead(307, { location: options.sendOn }).end();
    const scope = codes.get(form.get("code") ?? "")?.get("scope") ?? "";
    if (!isGranted(form)) return json(response, { error: "invalid_grant", error_description: body }, 400);
    const tokens = { access_token: `access-${randomUUID()}`, refresh_token: `refresh-${randomUUID()}` };
    access.set(tokens.access_token, scope);
    refresh.add(tokens.refresh_token);
    const { refresh_token: _, ...only } = tokens;
    return json(response, { ...(options.noRefresh ? only : tokens), token_type: "Bearer", expires_in: 3_600 });
  });
  const isGranted = (form: URLSearchParams) => {
    const field = (name: string) => form.get(name) ?? "";
    if (form.get("grant_type") === "refresh_token") return refresh.delete(field("refresh_token"));
    const wanted = codes.get(field("code"));
    codes.delete(field("code"));
    const challenge = createHash("sha256").update(field("code_verifier")).digest("base64url");
    return wanted?.get("code_challenge") === challenge && wanted.get("redirect_uri") === form.get("redirect_uri");
  };
  const describe = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...options.metadata,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = options.origin ?? `http://127.0.0.1:${port}`;
  const scopesOf = (authorization = "") => access.get(authorization.replace(/^Bearer /, ""));
  const mcp = await startHttpServer({
    challenge: (authorization) =>
      scopesOf(authorization) === undefined ? `Bearer resource_metadata="${url}/resource", scope="read"` : undefined,
    forbid: (authorization, { method }) =>
      method === "tools/call" && options.forCalls && !scopesOf(authorization)?.includes(options.forCalls)
        ? `Bearer error="insufficient_scope", scope="${options.forCalls}"`
        : undefined,
  });
  const resource = options.origin === undefined ? mcp.url : `${url}/mcp`;
  return {
    ...{ url, port, mcp, asked, clients },
    expire: () => access.clear(),
    revoke: () => refresh.clear(),
    async [Symbol.asyncDispose]() {
      await mcp[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
