import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { GatewayService } from "@scorel/gateway/contract";
import type { Visitor } from "@scorel/web-server/contract";
import { type WebSocket, WebSocketServer } from "ws";
import { socketChannel } from "./channel.ts";
import { errors } from "./errors.ts";

/** Longest message of a client that has shown its token while it connected, and of one that shows it afterwards. */
const MAX_MESSAGE = 16 * 1024 * 1024;
const MAX_STRANGERS_MESSAGE = 1024 * 1024;
const LIMITS = { burst: 1_000, perSecond: 200 };

const serverFor = (maxPayload: number) =>
  new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false, maxPayload });

const known = { server: serverFor(MAX_MESSAGE), maxMessage: MAX_MESSAGE };
const strangers = { server: serverFor(MAX_STRANGERS_MESSAGE), maxMessage: MAX_STRANGERS_MESSAGE };

/** Makes a WebSocket of a connection, and lets its client in with the token that it has shown, or shows in its first message. */
export function acceptSocket(
  gateway: Pick<GatewayService, "accept">,
  request: IncomingMessage,
  connection: Duplex,
  head: Buffer,
  visitor: Visitor,
): void {
  const { server, maxMessage } = visitor.grant ? known : strangers;
  server.handleUpgrade(request, connection, head, (socket: WebSocket) => {
    const channel = socketChannel(socket, { limits: LIMITS, connection, maxMessage });
    let hasProved = visitor.grant !== undefined;
    gateway.accept(channel, {
      transport: "ws",
      prove: (challenge) => {
        hasProved = true;
        return visitor.prove(challenge);
      },
      admit: ({ token, name }) => {
        const grant = visitor.grant ?? visitor.admit(token);
        if (grant.revoked.aborted) return visitor.admit(undefined);
        // It would send its token to anybody.
        if (grant.isPage && !hasProved) throw errors.WS_OLD_PAGE();
        const leave = () => channel.close();
        grant.revoked.addEventListener("abort", leave, { once: true });
        socket.once("close", () => grant.revoked.removeEventListener("abort", leave));
        const { scope, scopes, identity } = grant;
        // The owner's programs are told apart by what they call themselves. Others could call themselves anything.
        if (scope === undefined) return { identity, name: name ?? grant.name };
        return { scope, scopes, identity, name: grant.name };
      },
    });
  });
}
