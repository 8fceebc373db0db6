import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { GatewayService } from "@scorel/gateway/contract";
import { ASKS_FOR_PARTS } from "@scorel/kit/net/parts";
import type { Visitor } from "@scorel/web-server/contract";
import { type WebSocket, WebSocketServer } from "ws";
import { socketChannel } from "./channel.ts";
import { errors } from "./errors.ts";

/** The most bytes of a message from a client that has shown its token; below, from one that has not shown it yet. */
const MAX_MESSAGE = 16 * 1024 * 1024;
const MAX_STRANGERS_MESSAGE = 1024 * 1024;
const LIMITS = { burst: 1_000, perSecond: 200 };

const serverFor = (maxPayload: number) =>
  new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false, maxPayload });

const known = { server: serverFor(MAX_MESSAGE), maxMessage: MAX_MESSAGE };
const strangers = { server: serverFor(MAX_STRANGERS_MESSAGE), maxMessage: MAX_STRANGERS_MESSAGE };

/** Upgrades a connection to a WebSocket, and admits the client with the token from its request or from its first message. */
export function acceptSocket(
  gateway: Pick<GatewayService, "accept">,
  request: IncomingMessage,
  connection: Duplex,
  head: Buffer,
  visitor: Visitor,
): void {
  const { server, maxMessage } = visitor.grant ? known : strangers;
  server.handleUpgrade(request, connection, head, (socket: WebSocket) => {
    const inParts = request.url?.endsWith(ASKS_FOR_PARTS) === true;
    const channel = socketChannel(socket, { limits: LIMITS, connection, maxMessage, inParts });
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
        // Such an old page sends its token to any server, without a proof that it is the right one.
        if (grant.isPage && !hasProved) throw errors.WS_OLD_PAGE();
        channel.raiseLimit(MAX_MESSAGE);
        const leave = () => channel.close();
        grant.revoked.addEventListener("abort", leave, { once: true });
        socket.once("close", () => grant.revoked.removeEventListener("abort", leave));
        const { scope, scopes, identity } = grant;
        // Programs of the owner may choose their own name. Others could choose any name, so they get that of their token.
        if (scope === undefined) return { identity, name: name ?? grant.name };
        return { scope, scopes, identity, name: grant.name };
      },
    });
  });
}
