import { getEventListeners, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Client, HostService } from "@scorel/host/contract";
import { expect, it, onTestFinished } from "vitest";
import { Clients } from "../../../plugins/http/clients.ts";
import { streamEvents } from "../../../plugins/http/events.ts";
import type { Grant } from "../../../plugins/web-server/contract.ts";
import { eventually } from "../../eventually.ts";

it("the events of a session are not followed for a client that has left before", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET /sessions/s/events HTTP/1.1\r\nHost: host\r\n\r\n");
  const [request, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  const closed = once(response, "close");
  socket.destroy();
  await closed;
  const subscribed: string[] = [];
  const client = { subscribe: (sessionId: string) => subscribed.push(sessionId) } as unknown as Client;
  await streamEvents(client, "s", request, response);
  expect(subscribed).toEqual([]);
});

it("a token is not followed for clients that have ended", async () => {
  const { signal: revoked } = new AbortController();
  const host = { connect: () => ({ clientId: "c", close: async () => {} }) } as unknown as HostService;
  const clients = new Clients(host, { announce: () => () => {} }, { warn: () => {} });
  const grant = { identity: "phone", name: "phone", revoked } as unknown as Grant;
  for (let count = 0; count < 3; count++) {
    await clients.with(grant, async () => {});
    expect(getEventListeners(revoked, "abort")).toHaveLength(1);
    await clients.end();
    expect(getEventListeners(revoked, "abort")).toHaveLength(0);
  }
});

it("a session that cannot be closed is logged when its token is revoked, and when the host stops", async () => {
  const failure = new Error("no space left on device");
  const client = { clientId: "c", close: () => Promise.reject(failure) };
  const warned: unknown[] = [];
  const logger = { warn: (_message: string, thrown?: unknown) => void warned.push(thrown) };
  const clients = new Clients(
    { connect: () => client } as unknown as HostService,
    { announce: () => () => {} },
    logger,
  );
  const revocation = new AbortController();
  const grant = { identity: "phone", name: "phone", revoked: revocation.signal } as unknown as Grant;
  await clients.with(grant, async () => {});
  revocation.abort();
  await eventually(() => expect(warned).toEqual([failure]));
  const { signal: revoked } = new AbortController();
  await clients.with({ ...grant, revoked }, async () => {});
  await clients.end();
  expect(warned).toEqual([failure, failure]);
});
