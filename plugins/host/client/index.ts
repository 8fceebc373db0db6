/** The client's side of the host's contract. Also runs in browsers: no Node.js modules. */

import type { RemoteClient, RemoteOptions } from "./remote-client.ts";

export { isEvent } from "@scorel/kernel/is-event";
export { clientName } from "@scorel/kit/values/client-name";
export { copiedPart, type Obeyed, obeyed } from "./command-answer.ts";
export { everyPage } from "./every-page.ts";
export * from "./faces.ts";
export type { LinkOptions, LinkState, LinkTimes } from "./link-options.ts";
export { isRepeatable, withMessageId } from "./message-ids.ts";
export * from "./offered.ts";
export { type OpenState, openFirst, openState, titleWithState } from "./open-sessions.ts";
export { projectSessions } from "./project-sessions.ts";
export type { RemoteClient, RemoteOptions } from "./remote-client.ts";
export { openAgain, Reopening, restoreMode } from "./reopening.ts";
export { inSendingOrder } from "./sending-order.ts";
export type { CacheOptions, CacheStore } from "./view/cache.ts";
export { isConnected, whileConnected } from "./view/connected.ts";
export type { OpenRequest } from "./view/facts.ts";
export { type FollowOptions, followSession, type SessionView } from "./view/follow.ts";
export type { Live, LiveCall, LiveReply, Work } from "./view/live.ts";
export { Presence } from "./view/presence.ts";
export { type Beginning, SessionProjection, type ViewChange, type ViewStatus } from "./view/projection.ts";
export { conversationRows, type Row } from "./view/timeline.ts";
export { dialWebSocket, type WebSocketLike } from "./web-socket.ts";
export type {
  Challenge,
  Channel,
  ChannelHandlers,
  ClientMessage,
  Hello,
  HostMessage,
  Subscribed,
  Welcome,
  WireError,
  WireSubscribeOptions,
} from "./wire.ts";

/**
 * Connects to a host in another process. Rejects if the first attempt fails, unless `patient` is set. If the connection is lost later, the
 * client reconnects automatically, and its requests and subscriptions continue.
 */
export async function connectHost(options: RemoteOptions): Promise<RemoteClient> {
  return (await import("./remote-client.ts")).connectRemote(options);
}

/** The id by which the host knows a token, as a parameter of `end_page`. It reveals nothing about the token. */
export async function tokenId(token: string): Promise<string> {
  return (await import("./proof.ts")).tokenId(token);
}
