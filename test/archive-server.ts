import { createServer as createPlain, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTls } from "node:https";
import type { AddressInfo } from "node:net";

/** The response for a path: bytes, a redirect, a status, or a function that writes it. */
export type Answer = Buffer | { to: string; status?: number } | number | ((response: ServerResponse) => void);

export interface ArchiveServer extends AsyncDisposable {
  /** `127.0.0.1:<port>`. */
  host: string;
  /** `http://127.0.0.1:<port>`, or https. */
  origin: string;
  /** Answers by path; tests may change them. */
  answers: Record<string, Answer>;
  /** The requests in order, as `host path`. */
  heard: { line: string; headers: IncomingMessage["headers"] }[];
}

/** A local file server; with a certificate it uses TLS. */
export async function serveArchives(
  answers: Record<string, Answer>,
  tls?: { key: Buffer; cert: Buffer },
): Promise<ArchiveServer> {
  const heard: ArchiveServer["heard"] = [];
  const served = { ...answers };
  const listen = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "";
    heard.push({ line: `${request.headers.host} ${path}`, headers: request.headers });
    give(served[path] ?? served[path.replace(/\?.*$/, "")] ?? 404, response);
  };
  const server = tls ? createTls(tls, listen) : createPlain(listen);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    origin: `${tls ? "https" : "http"}://${host}`,
    answers: served,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function give(answer: Answer, response: ServerResponse): void {
  if (typeof answer === "function") answer(response);
  else if (typeof answer === "number") response.writeHead(answer).end("no");
  else if (Buffer.isBuffer(answer)) response.writeHead(200, { "content-length": answer.length }).end(answer);
  else response.writeHead(answer.status ?? 302, { location: answer.to }).end();
}
