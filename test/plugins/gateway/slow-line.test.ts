import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type ClientMessage, connectHost, dialWebSocket, type WebSocketLike } from "@scorel/host/client";
import { expect, it, onTestFinished } from "vitest";
import { lineChannel } from "../../../plugins/kit/net/line-channel.ts";
import { proofText } from "../../../plugins/kit/values/host-proof.ts";

const WELCOME = { protocol: 1, version: "1.0.0", instance: "i", clientId: "c", secret: "s", resumed: false };
const PIECES = 40;

/** A host behind a line so slow that an answer needs many times the time after which a silent connection is dead. */
function serve(socket: Socket): void {
  const say = (message: object) => `${JSON.stringify(message)}\n`;
  lineChannel(socket, socket).open({
    message: (text) => {
      const { type, requestId } = JSON.parse(text) as { type: string; requestId: number };
      if (type === "hello") socket.write(say({ type: "welcome", ...WELCOME }));
      if (type !== "request") return;
      const answer = say({ type: "response", requestId, result: { text: "x".repeat(PIECES * 100) } });
      const size = Math.ceil(answer.length / PIECES);
      let at = 0;
      const timer = setInterval(() => {
        socket.write(answer.slice(at, at + size));
        at += size;
        if (at >= answer.length || socket.destroyed) clearInterval(timer);
      }, 20);
    },
    closed: () => {},
  });
}

it("a client keeps a connection over which a long answer comes slowly, with no whole message meanwhile", async () => {
  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  let dialed = 0;
  const dial = () => {
    dialed++;
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    return lineChannel(socket, socket);
  };
  const client = await connectHost({ dial, version: "1.0.0", times: { ping: 50, dead: 200, firstRetry: 10 } });
  onTestFinished(() => client.close());
  const request = client.request as (operation: string, params: object) => Promise<{ text: string }>;
  const { text } = await request("get_artifact", {});
  expect([text.length, dialed]).toEqual([PIECES * 100, 1]);
});

/** A WebSocket to a host that knows the token. It sends one piece every 20 ms; each message is answered when all of it was sent. */
class SlowSocket implements WebSocketLike {
  readonly readyState = 1;
  bufferedAmount = 0;
  isSilent = false;
  private readonly token: string;
  private readonly listeners = new Map<string, (event: { data?: unknown }) => void>();
  private readonly sending: string[] = [];
  private readonly timer = setInterval(() => this.sendPiece(), 20);

  constructor(token: string) {
    this.token = token;
    setImmediate(() => this.listeners.get("open")?.({}));
  }

  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void {
    this.listeners.set(type, listener);
  }

  send(text: string): void {
    this.sending.push(text);
    this.bufferedAmount += text.length;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private sendPiece(): void {
    this.bufferedAmount = Math.max(0, this.bufferedAmount - 100);
    const left = () => this.sending.slice(1).reduce((sum, { length }) => sum + length, 0);
    while (this.sending.length > 0 && this.bufferedAmount <= left())
      this.answer(JSON.parse(this.sending.shift() as string));
  }

  private answer(message: ClientMessage): void {
    if (this.isSilent) return;
    const say = (answer: object) => this.listeners.get("message")?.({ data: JSON.stringify(answer) });
    if (message.type === "prove") say({ type: "proof", proof: this.proofFor(message) });
    if (message.type === "hello") say({ type: "welcome", ...WELCOME });
    if (message.type === "ping") say({ type: "pong" });
    if (message.type === "request") say({ type: "response", requestId: message.requestId, result: { isTaken: true } });
  }

  private proofFor({ nonce, authority }: Extract<ClientMessage, { type: "prove" }>): string {
    const key = createHash("sha256").update(this.token).digest();
    return createHmac("sha256", key).update(proofText(nonce, authority)).digest("hex");
  }
}

it("a client with a token keeps a connection over which a large request goes out slowly", async () => {
  let dialed = 0;
  const dial = () =>
    dialWebSocket("ws://host.test", () => {
      dialed++;
      return new SlowSocket("secret");
    });
  const times = { ping: 50, dead: 200, firstRetry: 10 };
  const client = await connectHost({ dial, token: () => "secret", version: "1.0.0", times });
  onTestFinished(() => client.close());
  const request = client.request as (operation: string, params: object) => Promise<unknown>;
  expect([await request("keep", { text: "x".repeat(PIECES * 100) }), dialed]).toEqual([{ isTaken: true }, 1]);
});

it("a client connects again when a host is silent, although each ping still leaves its computer", async () => {
  const sockets: SlowSocket[] = [];
  const dial = () =>
    dialWebSocket("ws://host.test", () => sockets[sockets.push(new SlowSocket("secret")) - 1] as never);
  const times = { ping: 50, dead: 200, firstRetry: 10 };
  const client = await connectHost({ dial, token: () => "secret", version: "1.0.0", times });
  onTestFinished(() => client.close());
  Object.assign(sockets[0] as SlowSocket, { isSilent: true });
  await expect.poll(() => sockets.length).toBe(2);
});
