/**
 * Additions to `@scorel/host/client` for programs that run in Node.js: connections to hosts over Unix sockets and WebSocket, and a cache.
 */

import type { CacheStore, Channel } from "@scorel/host/client";

export * from "@scorel/host/client";

/** Options of `dialHost`. */
export interface HostOptions {
  /** A file with the token, which other users cannot read. Default: the environment variable SCOREL_HOST_TOKEN. */
  tokenFile?: string | undefined;
  /** Sends the token over an unencrypted connection to another computer. */
  insecure?: boolean | undefined;
}

/** Connects to this user's background host, and finds its current socket. */
export async function dialLocalHost(): Promise<Channel> {
  const { localSocket } = await import("@scorel/daemon/dial");
  return dialUnixSocket(localSocket());
}

/** Connects to a host at a Unix socket. */
export async function dialUnixSocket(path: string): Promise<Channel> {
  return (await import("@scorel/socket/dial")).dialSocket(path);
}

/** Connects to a host over WebSocket, with the token in a header. The address is that of `scorel host status`. */
export async function dialHost(address: string | URL, options: HostOptions = {}): Promise<Channel> {
  const url = new URL(address);
  url.protocol = url.protocol.replace(/^http/, "ws");
  const { dialSocket } = await import("@scorel/ws/dial");
  return dialSocket(url, { ...options, env: process.env });
}

/** A cache for `followSession`: files in a folder that only this user can read. */
export function fileCache(folder: string): CacheStore {
  const made = import("@scorel/daemon/cache").then((cache) => cache.fileCache(folder));
  return {
    read: async (key) => (await made).read(key),
    write: async (key, text) => (await made).write(key, text),
    remove: async (key) => (await made).remove(key),
  };
}
