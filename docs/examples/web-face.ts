/** `scorel web` shows sessions live over HTTP to programs and pages of this machine; save it in `~/.scorel/extensions`. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Client, HostService, Operation } from "@scorel/host/contract";
import { codeOf, definePlugin, messageOf } from "@scorel/kernel";

const operations = ["create_session", "send_message", "cancel", "attend_requests", "answer_request", "list_sessions"];

export default definePlugin({
  id: "web-face",
  name: "Web face",
  version: "1.0.0",
  scope: "host",
  needs: ["host"],
  cliCommands: ({ host }) => [
    {
      noun: "web",
      description: "Show sessions live over HTTP, on this machine only",
      async run({ stdout, interrupt }) {
        const token = Buffer.from(`Bearer ${randomBytes(24).toString("base64url")}`);
        // Keeps the sessions open, and their questions answerable, while pages come and go.
        const client = host.connect({ scope: { operations } });
        const server = createServer((request, response) => {
          const given = Buffer.from(request.headers.authorization ?? "");
          if (given.length !== token.length || !timingSafeEqual(given, token)) return json(response, 401, {});
          const failed = (thrown: unknown) => json(response, 400, { code: codeOf(thrown), message: messageOf(thrown) });
          return answer(request, response, client, host).catch(failed);
        }).listen(0, "127.0.0.1");
        await once(server, "listening");
        stdout.write(`http://127.0.0.1:${Object(server.address()).port} Authorization: ${token}\n`);
        if (!interrupt.aborted) await once(interrupt, "abort");
        server.close().closeAllConnections();
        await client.close();
        return 0;
      },
    },
  ],
});

async function answer(request: IncomingMessage, response: ServerResponse, client: Client, host: HostService) {
  const [, kind, name] = new URL(request.url ?? "/", "http://127.0.0.1").pathname.split("/");
  if (request.method === "POST" && kind === "operations")
    return json(response, 200, await client.request(name as Operation, JSON.parse(await text(request))));
  if (request.method !== "GET" || kind !== "sessions") return json(response, 404, {});
  const viewer = host.connect({ scope: { operations: "read" } });
  const gone = new Promise<void>((done) => response.once("close", done)).then(() => viewer.close());
  const send = (data: unknown, id?: object) => sendEvent(response, gone, data, id);
  if (name === undefined) {
    const list = async () => send(await client.request("list_sessions", {}));
    await viewer.watchSessions((change) => (change.change === "missed" ? list() : send(change)));
    return list();
  }
  const { requests } = await client.request("attend_requests", { sessionId: name });
  // A page that comes back sends the id of its last event, and goes on there.
  const last = request.headers["last-event-id"];
  const options = { tail: 50, joined: true, ...(typeof last === "string" && { anchor: JSON.parse(last) }) };
  const subscription = await viewer.subscribe(name, (told) => send(told, subscription.anchor), options);
  return send({ mode: subscription.mode, status: subscription.status, requests });
}

/** Sends an event of a stream. Waits while the page reads more slowly than events come. */
async function sendEvent(response: ServerResponse, gone: Promise<void>, data: unknown, id?: object): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  const event = `${id ? `id: ${JSON.stringify(id)}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
  if (!response.write(event)) await Promise.race([once(response, "drain"), gone]);
}

function json(response: ServerResponse, status: number, data: unknown): void {
  if (!response.headersSent) response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(data));
}
