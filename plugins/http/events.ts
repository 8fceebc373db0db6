import type { IncomingMessage, ServerResponse } from "node:http";
import type { Anchor, Client, Delivered, Subscription } from "@scorel/host/contract";
import { BEHIND } from "@scorel/kit/net/delivery";
import { textOf } from "@scorel/kit/session/event-text";
import { z } from "zod";
import { errors } from "./errors.ts";

/** Milliseconds between two pings. */
const PING_MS = 15_000;
/** Milliseconds for a client to read sent events. */
const STUCK_MS = 60_000;
/** Limits for a stream that is behind. Lower than for a WebSocket, since streams do not confirm events, and one token may have many. */
const STREAM_BEHIND = { ...BEHIND, maxBytes: 256 * 1024 };

const number = z.int().nonnegative();
const text = z.string().max(256);
const schema = z.strictObject({
  epoch: text,
  persistentSeq: number,
  persistentId: text.nullable(),
  activation: text,
  streamSeq: z.int().min(-1),
});

/** Sends a session's events as server-sent events, until the client disconnects. The id of each one is its position. */
export async function streamEvents(
  client: Client,
  sessionId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The event "close" has been emitted already if the client left while its request was examined.
  if (response.destroyed) return;
  const anchor = positionOf(request);
  const tail = tailOf(request);
  const gone = new Promise<void>((resolve) => response.once("close", resolve));
  let running: Subscription | undefined;
  const listener = (delivered: Delivered) => {
    const { anchor, isReplay } = running as Subscription;
    return send(response, delivered.event.type, dataOf(delivered, isReplay), anchor);
  };
  running = await client.subscribe(sessionId, listener, { anchor, tail, ...STREAM_BEHIND });
  try {
    // Before the first event.
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const { mode, more, status } = running;
    void send(response, "subscribed", JSON.stringify({ mode, more, status }));
    const pings = setInterval(() => response.write(": alive\n\n"), PING_MS);
    await gone;
    clearInterval(pings);
  } finally {
    await running();
  }
}

/** The JSON of an event, marked as a replay if it happened before the subscription began or was resumed. */
function dataOf(delivered: Delivered, isReplay: boolean): string {
  const text = textOf(delivered);
  return isReplay ? `${text.slice(0, -1)},"replay":true}` : text;
}

/** Sends an event. Returns a promise if the next one has to wait until the client has read this one. */
function send(response: ServerResponse, type: string, data: string, anchor?: Anchor): void | Promise<void> {
  if (response.destroyed) return;
  const id = anchor === undefined ? "" : `id: ${Buffer.from(JSON.stringify(anchor)).toString("base64url")}\n`;
  if (response.write(`${id}event: ${type}\ndata: ${data}\n\n`)) return;
  return new Promise((resolve) => {
    const stuck = setTimeout(() => response.destroy(), STUCK_MS);
    const go = () => {
      clearTimeout(stuck);
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.once("drain", go).once("close", go);
  });
}

/** The position in the request from which to resume; undefined for none. Throws HTTP_POSITION. */
function positionOf({ headers }: IncomingMessage): Anchor | undefined {
  const given = headers["last-event-id"];
  if (given === undefined || given === "") return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(String(given), "base64url").toString("utf8")), { jitless: true });
  } catch {
    throw errors.HTTP_POSITION();
  }
}

function tailOf({ url = "" }: IncomingMessage): number | undefined {
  const tail = new URL(url, "http://localhost").searchParams.get("tail");
  if (tail === null) return undefined;
  if (tail === "all") return Number.POSITIVE_INFINITY;
  if (!/^\d{1,6}$/.test(tail)) throw errors.HTTP_TAIL({ tail });
  return Number(tail);
}
