/** The client's side of the host's contract. Also runs in browsers: no Node.js modules. */

import type { RemoteClient, RemoteOptions } from "./remote-client.ts";

export * from "./faces.ts";
export type { LinkOptions, LinkState, LinkTimes } from "./link-options.ts";
export type { RemoteClient, RemoteOptions } from "./remote-client.ts";
export { Reopening } from "./reopening.ts";
export type {
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
 * Connects to a host in another process. Rejects if that fails; when the connection is lost later, the client connects again by
 * itself, and its requests and subscriptions go on.
 */
export async function connectHost(options: RemoteOptions): Promise<RemoteClient> {
  return (await import("./remote-client.ts")).connectRemote(options);
}
