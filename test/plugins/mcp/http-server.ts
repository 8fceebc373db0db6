import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the server received. */
export interface Seen {
  method: string;
  headers: IncomingHttpHeaders;
  body: any;
}

interface Options {
  /** The value of the header `authorization` that requests must have; others are refused with 401. */
  key?: string;
  /** The value of `www-authenticate` with which a request is refused with 401; undefined to accept it. */
  challenge?: (authorization: string | undefined) => string | undefined;
  /** The value of `www-authenticate` with which a message is refused with 403; undefined to accept it. */
  forbid?: (authorization: string | undefined, message: any) => string | undefined;
  /** The address to which all requests are redirected. */
  redirect?: string;
  /** Awaited before a request of a forgotten session is refused. */
  beforeForgotten?: (message: any) => Promise<unknown> | undefined;
  /** The text of the event stream that answers GET requests, by their query. */
  stream?: (query: string) => string;
  /** Whether responses are event streams. */
  streams?: boolean;
  /** Whether the stream of a call breaks before the answer; `resumable` ones have ids, and continue after that. */
  breaks?: "lost" | "resumable";
}

export interface HttpServer extends AsyncDisposable {
  url: string;
  seen: Seen[];
  /** Forgets all sessions, as after a restart. */
  forget(): void;
}

/** An MCP server over HTTP in plain JSON-RPC, with the tools `echo` and `huge`. */
export async function startHttpServer({
  key,
  challenge,
  forbid,
  redirect,
  beforeForgotten,
  stream,
  streams = false,
  breaks,
}: Options = {}): Promise<HttpServer> {
  const seen: Seen[] = [];
  let sessions = new Set<string>();
  let opened = 0;
  const unsent: object[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString("utf8");
    const { method = "", headers } = request;
    const body = text === "" ? undefined : JSON.parse(text);
    seen.push({ method, headers, body });
    const session = headers["mcp-session-id"] as string | undefined;
    if (redirect !== undefined) return void response.writeHead(307, { location: redirect }).end();
    if (key !== undefined && headers.authorization !== key) return void response.writeHead(401).end();
    const refusal = challenge?.(headers.authorization);
    if (refusal !== undefined) return void response.writeHead(401, { "www-authenticate": refusal }).end();
    const missing = body && forbid?.(headers.authorization, body);
    if (missing) return void response.writeHead(403, { "www-authenticate": missing }).end();
    if (method === "DELETE") return void response.writeHead(sessions.delete(session ?? "") ? 200 : 404).end();
    if (method === "GET" && stream) {
      response.setHeader("content-type", "text/event-stream");
      return void response.end(stream(request.url?.split("?")[1] ?? ""));
    }
    if (method === "GET" && headers["last-event-id"] === "first")
      return answer(response, unsent.shift() as object, true);
    if (method !== "POST") return void response.writeHead(405).end();
    if (body.method === "initialize") {
      sessions.add(`s${++opened}`);
      response.setHeader("mcp-session-id", `s${opened}`);
    } else if (!sessions.has(session ?? "")) {
      await beforeForgotten?.(body);
      return void response.writeHead(404).end();
    }
    if (body.id === undefined) return void response.writeHead(202).end();
    const message = { jsonrpc: "2.0", id: body.id, ...resultOf(body) };
    if (breaks === undefined || body.method !== "tools/call") return answer(response, message, streams);
    unsent.push(message);
    response.setHeader("content-type", "text/event-stream");
    response.write(breaks === "resumable" ? "id: first\nretry: 10\ndata:\n\n" : ": working\n\n");
    setTimeout(() => request.socket.destroy(), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    forget: () => {
      sessions = new Set();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, message: object, streams: boolean): void {
  const json = JSON.stringify(message);
  response.setHeader("content-type", streams ? "text/event-stream" : "application/json");
  response.end(streams ? `event: message\ndata: ${json}\n\n` : json);
}

function resultOf({ method, params }: { method: string; params: any }): object {
  const object = { type: "object", properties: {} };
  if (method === "initialize")
    return {
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "remote", version: "2" },
      },
    };
  if (method === "tools/list")
    return { result: { tools: ["echo", "huge"].map((name) => ({ name, inputSchema: object })) } };
  if (method !== "tools/call") return { error: { code: -32601, message: "Method not found" } };
  const text = params.name === "huge" ? "x".repeat(17 * 1024 * 1024) : JSON.stringify(params.arguments);
  return { result: { content: [{ type: "text", text }] } };
}
