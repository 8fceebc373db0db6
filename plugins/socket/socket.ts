import { chmodSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { basename, dirname } from "node:path";
import type { GatewayService, Listening } from "@scorel/gateway/contract";
import type { Channel } from "@scorel/host/client";
import { codeOf, ScorelError } from "@scorel/kernel";
import { inOwnFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import { lineChannel } from "@scorel/kit/net/line-channel";
import { errors } from "./errors.ts";

/** The most connections at a time. Further clients get an error and are disconnected; above the second number, none is accepted. */
const MAX_CONNECTIONS = 256;
const MOST_CONNECTIONS = 1_024;
/** Milliseconds for the other end to accept a connection. */
const DIAL_MS = 5_000;
/** The most bytes of a client's first message, and of unsent data for a client that does not read. */
export const LIMITS = { maxFirstBytes: 64 * 1024, maxUnsent: 4 * 1024 * 1024 };

/**
 * Accepts clients at a Unix socket. Only this user can reach it, because others cannot enter its folder, so clients have all permissions. An
 * existing socket is replaced: the caller has made sure that no process uses it.
 */
export async function listenOn(path: string, gateway: Pick<GatewayService, "accept">): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    const tooMany = sockets.size > MAX_CONNECTIONS ? { max: MAX_CONNECTIONS } : undefined;
    gateway.accept(lineChannel(socket, socket, LIMITS), { transport: "socket", tooMany, admit: () => ({}) });
  });
  server.maxConnections = MOST_CONNECTIONS;
  try {
    inOwnFolder(dirname(path), (folder) => folder.remove(basename(path)));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
    });
    chmodSync(path, 0o600);
  } catch (thrown) {
    if (thrown instanceof ScorelError) throw thrown;
    throw errors.SOCKET_LISTEN({ path, reason: codeOf(thrown) }, { cause: thrown });
  }
  // If a connection cannot be accepted, for example for lack of file descriptors, only its client is affected.
  server.on("error", () => {});
  // The socket alone keeps no process running.
  server.unref();
  return {
    address: path,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroySoon();
      removeStateFile(dirname(path), basename(path));
    },
  };
}

/** Connects to a host at a Unix socket. Throws SOCKET_DIAL. */
export function dialSocket(path: string, limitMs = DIAL_MS): Promise<Channel> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const failed = (thrown: Error) => {
      clearTimeout(limit);
      socket.destroy();
      reject(errors.SOCKET_DIAL({ path, reason: codeOf(thrown) }, { cause: thrown }));
    };
    const limit = setTimeout(() => failed(Object.assign(new Error(), { code: "ETIMEDOUT" })), limitMs);
    socket.once("error", failed);
    socket.once("connect", () => {
      clearTimeout(limit);
      socket.off("error", failed);
      // A host greets with a short message.
      resolve(lineChannel(socket, socket, { maxFirstBytes: LIMITS.maxFirstBytes }));
    });
  });
}
