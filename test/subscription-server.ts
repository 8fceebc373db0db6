import { readFileSync } from "node:fs";
import { request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fixture, startProxy } from "./proxy.ts";

/** A request to a provider's site. The client believes that it talks to the real host. */
export interface SiteRequest {
  host: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}
export interface SiteAnswer {
  status?: number;
  json: unknown;
}

/** Responses of the providers' sites, by `host/path`. A request to `modelHost` without an entry goes to `models`. */
export type Sites = Record<string, (request: SiteRequest) => SiteAnswer | Promise<SiteAnswer>>;

/**
 * The providers' sites on this machine: real TLS for their real names, reached through a proxy. Requests to `modelHost` go to
 * `models`.
 */
export async function startSites(sites: Sites, modelHost = "", models = 0) {
  const requests: SiteRequest[] = [];
  const server = createServer(
    { key: readFileSync(fixture("tls/subscriptions.key.pem")), cert: readFileSync(certificate) },
    (request, response) => void answer(request, response),
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, url: path = "" } = request;
    const host = headers.host ?? "";
    if (host === modelHost && !sites[`${host}${path}`]) return pass(request, response);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const asked = { host, path, headers, body: Buffer.concat(pieces).toString("utf8") };
    requests.push(asked);
    const { status = 200, json } = (await sites[`${host}${path}`]?.(asked)) ?? { status: 404, json: {} };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  }

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url } = request;
    const path = url === "/backend-api/codex/responses" ? "/v1/responses" : url;
    const onward = forward({ port: models, host: "127.0.0.1", path, method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    });
    request.pipe(onward);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = await startProxy((server.address() as AddressInfo).port);
  return {
    requests,
    /** The requests to the proxy. */
    heard: proxy.heard,
    /** The environment with which a command uses these sites. */
    env: { HTTPS_PROXY: `http://${proxy.address}`, NODE_EXTRA_CA_CERTS: certificate },
    async [Symbol.asyncDispose]() {
      await proxy.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const certificate = fixture("tls/subscriptions.cert.pem");
