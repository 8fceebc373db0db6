import { WebSocket } from "ws";
import { SOCKET_OPTIONS } from "../server/socket.ts";
import type { BinarySocket } from "./connection.ts";

const HANDSHAKE_MS = 10_000;

/** A WebSocket for programs that run in Node.js. */
export function nodeSocket(address: string, protocol: string): BinarySocket {
  const options = { ...SOCKET_OPTIONS, followRedirects: false, handshakeTimeout: HANDSHAKE_MS };
  return new WebSocket(address, protocol, options) as unknown as BinarySocket;
}
