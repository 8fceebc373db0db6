import { createHash, randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { connectHost, type LinkTimes, type RemoteClient, type RemoteOptions } from "@scorel/host/client";
import { type AnyPlugin, definePlugin, type KernelEntry } from "@scorel/kernel";
import { WebSocket } from "ws";
import type { Transport } from "../../../plugins/gateway/contract.ts";
import gateway from "../../../plugins/gateway/index.ts";
import http from "../../../plugins/http/index.ts";
import type { Scope } from "../../../plugins/kit/values/scopes.ts";
import type { WebRoute } from "../../../plugins/web-server/contract.ts";
import webServer from "../../../plugins/web-server/index.ts";
import { tokenFile, writeToken } from "../../../plugins/web-server/tokens.ts";
import ws from "../../../plugins/ws/index.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";

const times: Partial<LinkTimes> = { firstRetry: 5, lastRetry: 20 };

/** A host that serves clients on a port of this computer, with the real plugins. */
export async function testWeb(
  options: Record<string, unknown> = {},
  config: object = {},
  plugins: readonly (AnyPlugin | KernelEntry)[] = [echoAgent],
  more: readonly WebRoute[] = [],
) {
  const home = testHome();
  const printed: string[] = [];
  const touched: string[] = [];
  const env: Record<string, string | undefined> = {};
  const stream = { write: (text: string) => void printed.push(text) };
  const launch = definePlugin({
    id: "launch",
    name: "Launch",
    version: "1.0.0",
    scope: "host",
    provides: ["launch"],
    activate: (ctx) => void ctx.provide("launch", { version: "1.0.0", env, stdout: stream, stderr: stream } as never),
  });
  const routes: WebRoute[] = [
    {
      path: "/touch",
      methods: ["POST"],
      request: (_request, response, { name }) => {
        touched.push(name);
        response.end("touched");
      },
    },
    ...more,
  ];
  let collect: () => Transport[] = () => [];
  const probe = definePlugin({
    id: "probe",
    name: "Probe",
    version: "1.0.0",
    scope: "host",
    activate: (ctx) => {
      collect = () => ctx.collect("transports").flatMap(({ value }) => value);
      return { webRoutes: () => routes };
    },
  });
  const web = { plugin: webServer as AnyPlugin, origin: "test", config };
  const t = await testHost([...plugins], [], [launch, gateway, web, ws, http, probe]);
  const listening: { address: string; note?: string | undefined; close(): Promise<void> }[] = [];
  const end = async () => {
    for (const each of listening.reverse()) await each.close();
    await t.kernel.stop();
    home[Symbol.dispose]();
  };
  try {
    for (const transport of collect()) {
      const one = await transport.listen({ port: "0", ...options });
      if (one) listening.push(one);
    }
  } catch (thrown) {
    await end();
    throw thrown;
  }
  const port = Number(new URL(listening[0]?.address ?? "").port);
  const transport = collect().find(({ name }) => name === "ws");
  const dial = async (url: string, given: Record<string, unknown>) => {
    const channel = await transport?.dial?.(new URL(url), given);
    if (!channel) throw new Error("the transport cannot dial");
    return channel;
  };
  const clients: RemoteClient[] = [];
  const address = listening[1]?.address as string;
  return {
    ...t,
    home,
    port,
    address,
    addresses: listening.map(({ address, note }) => [address, note]),
    printed,
    touched,
    env,
    dial,
    token: (name = "owner") => readFileSync(tokenFile(name), "utf8").trim(),
    tokenPath: tokenFile,
    /** Creates or replaces a token. */
    write: async (name: string, scopes: Scope[]) => (await writeToken(name, () => scopes)).path,
    folder: join(home.home, ".scorel", "host"),
    mode: (path: string) => statSync(path).mode & 0o777,
    connect: async (given: Partial<RemoteOptions> & { name?: string } = {}) => {
      const { name = "owner", ...more } = given;
      const options = { tokenFile: tokenFile(name) };
      const client = await connectHost({ dial: () => dial(address, options), version: "1.0.0", times, ...more });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await end();
    },
  };
}

/** Sends lines to a port, and returns the response until the connection is closed. */
export function raw(port: number, lines: readonly string[], host = "127.0.0.1"): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(port, host, () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    socket.on("data", (chunk) => {
      parts.push(chunk);
      // After an upgrade to WebSocket, the server keeps the connection open.
      if (chunk.includes(" 101 ")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(parts).toString()));
  });
}

/** The status code of a response; 0 if there is none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

/** The headers of a request for a WebSocket. */
export const upgrade = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/** A message with which a client checks that the host at an address knows its token. */
export function challenge(token: string, authority: string) {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const id = sha256(`scorel token id\n${sha256(token)}`).slice(0, 16);
  return { type: "prove", id, nonce: randomBytes(32).toString("hex"), authority };
}

/** Opens a WebSocket as a page does: without a token in a header. */
export async function openPage({ address }: { address: string }) {
  const socket = new WebSocket(address);
  const messages: string[] = [];
  let wake = () => {};
  socket.on("message", (data: Buffer) => {
    messages.push(data.toString());
    wake();
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const next = async (): Promise<unknown> => {
    while (messages.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return JSON.parse(messages.shift() as string);
  };
  const send = (message: object) => socket.send(JSON.stringify(message));
  return {
    socket,
    next,
    send,
    /** Logs in as the page does. Returns the host's response. */
    async enter(token: string): Promise<unknown> {
      send(challenge(token, new URL(address).host));
      await next();
      send({ type: "hello", protocol: 1, version: "1", token });
      return next();
    },
    async [Symbol.asyncDispose]() {
      socket.terminate();
    },
  };
}
