import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation, Operations } from "@scorel/host/contract";
import { ScorelError } from "@scorel/kernel";
import { untilAborted } from "@scorel/kit/values/abort";
import type { Grant } from "@scorel/web-server/contract";
import { sendError, sendJson } from "./answers.ts";
import type { Bodies } from "./bodies.ts";
import type { Clients } from "./clients.ts";
import { errors } from "./errors.ts";

export interface RouteOptions {
  clients: Clients;
  bodies: Bodies;
  version: string;
  logger: { warn(message: string, thrown?: unknown): void };
}

/** Answers a request. The web server has checked its method already, according to the route. */
export async function answer(
  options: RouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
  grant: Grant,
): Promise<void> {
  try {
    await carryOut(options, request, response, grant);
  } catch (thrown) {
    if (!(thrown instanceof ScorelError)) {
      // Without the query, which may contain what a client has asked.
      const [path] = (request.url ?? "/").split("?");
      options.logger.warn(`${request.method} ${path} failed`, thrown);
    }
    if (response.headersSent) response.destroy();
    else sendError(response, thrown);
  }
}

async function carryOut(
  { clients, bodies, version }: RouteOptions,
  request: IncomingMessage,
  response: ServerResponse,
  grant: Grant,
): Promise<void> {
  const { pathname: path, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const [, operation] = /^\/operations\/([a-z][\w-]{0,63})$/.exec(path) ?? [];
  const [, session] = /^\/sessions\/([\w-]{1,64})\/events$/.exec(path) ?? [];
  if (operation !== undefined) {
    const gone = closingOf(response);
    const result = await bodies.with(request, grant.identity, (params) =>
      clients.with(grant, (client) =>
        untilAborted(client.request(operation as Operation, params as Operations[Operation]["params"], gone), gone),
      ),
    );
    sendJson(response, 200, result);
  } else if (session !== undefined) {
    const { streamEvents } = await import("./events.ts");
    await clients.with(grant, (client) => streamEvents(client, session, request, response));
  } else if (path === "/openapi.json") {
    const sessionId = searchParams.get("session") ?? undefined;
    const { openApi } = await import("./openapi.ts");
    const { everyPage } = await import("@scorel/host/client");
    const { operations } = await clients.with(grant, (client) =>
      everyPage((page) => client.request("list_operations", { sessionId, ...page })),
    );
    sendJson(response, 200, openApi(version, operations));
  } else throw errors.HTTP_PATH({ path });
}

/** Aborts when the connection of a response is closed, so that a request is not waited for when nobody gets its answer. */
function closingOf(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  const left = () => closing.abort(errors.HTTP_LEFT());
  if (response.destroyed) left();
  else response.once("close", left);
  return closing.signal;
}
