import { closeSync, readFileSync } from "node:fs";
import type { connect, Socket, TcpNetConnectOpts } from "node:net";
import type { Channel } from "@scorel/host/client";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import { openRegular } from "@scorel/kit/files/open";
import { isLoopback } from "@scorel/kit/net/loopback";
import { WebSocket } from "ws";
import { socketChannel } from "./channel.ts";
import { errors } from "./errors.ts";
import { connectToOwn } from "./listener.ts";

const MAX_MESSAGE = 64 * 1024 * 1024;
const HANDSHAKE_MS = 10_000;

export interface DialOptions {
  tokenFile?: string | undefined;
  insecure?: boolean | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/** Connects to a host over WebSocket, with the token in a header. On this computer, only to a program of this user. Throws WS errors. */
export function dialSocket(given: URL, options: DialOptions, limitMs = HANDSHAKE_MS): Promise<Channel> {
  const url = targetOf(given, options);
  const address = addressOf(url);
  const token = tokenOf(options);
  const asksForOwner =
    token !== undefined && url.protocol === "ws:" && isLoopback(url.hostname) && options.insecure !== true;
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MAX_MESSAGE,
    followRedirects: false,
    ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    ...(asksForOwner && { createConnection: connectionToOwn(address, limitMs) }),
  });
  return opened(socket, address, limitMs);
}

/** The address to connect to. Throws WS_ADDRESS and WS_PLAIN. */
function targetOf(given: URL, { insecure }: DialOptions): URL {
  // The host's web address (http) is that of the same server.
  const url = new URL(given.href.replace(/^http/, "ws"));
  const address = addressOf(url);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw errors.WS_ADDRESS({ address });
  if (url.protocol === "ws:" && !isLoopback(url.hostname) && insecure !== true) throw errors.WS_PLAIN({ address });
  if (url.pathname === "/") url.pathname = "/ws";
  return url;
}

function addressOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** Returns a replacement of `connect` that connects only to a program of this user. */
function connectionToOwn(address: string, limitMs: number): typeof connect {
  const connectOwn = (given: TcpNetConnectOpts, done: (error: unknown, socket?: Socket) => void) => {
    // `path` is the path of the request, but `connect` would take it for the path of a Unix socket.
    const { path: _path, ...where } = given as TcpNetConnectOpts & { path?: string };
    connectToOwn(where, address, limitMs).then((socket) => done(null, socket), done);
  };
  return connectOwn as unknown as typeof connect;
}

/** Resolves once the host has accepted the connection. */
function opened(socket: WebSocket, address: string, limitMs: number): Promise<Channel> {
  return new Promise((resolve, reject) => {
    // A limit for the whole handshake: a limit for silence would not end a server that sends one byte after the other.
    const limit = setTimeout(() => socket.terminate(), limitMs);
    const since = performance.now();
    const failed = (thrown: Error) => {
      clearTimeout(limit);
      const isLate = performance.now() - since >= limitMs;
      const reason = isLate ? `it did not answer within ${limitMs / 1000} s` : messageOf(thrown);
      reject(thrown instanceof ScorelError ? final(thrown) : errors.WS_DIAL({ address, reason }, { cause: thrown }));
    };
    socket.on("error", failed);
    socket.once("unexpected-response", (request, { statusCode: status = 0, headers }) => {
      clearTimeout(limit);
      request.destroy();
      const retryAfter = Number(headers["retry-after"]) || 0;
      const isOwnFault = status === 429 && retryAfter > 0;
      if (status !== 503 && !isOwnFault) reject(final(errors.WS_REFUSED({ address, status })));
      else reject(Object.assign(errors.WS_BUSY({ address, isOwnFault }), { retryAfter }));
    });
    let carrier: Socket | undefined;
    socket.once("upgrade", (response) => {
      carrier = response.socket;
    });
    socket.once("open", () => {
      clearTimeout(limit);
      socket.off("error", failed);
      resolve(socketChannel(socket, { carrier }));
    });
  });
}

/** Marks an error after which reconnecting does not help. */
function final(error: ScorelError): ScorelError {
  return Object.assign(error, { fatal: true });
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EACCES: "you may not read it",
  ELOOP: "it is a link",
};

/** The token from the file or the environment. Throws WS_TOKEN_FILE for a file that other users can read. */
function tokenOf({ tokenFile: path, env }: DialOptions): string | undefined {
  if (path === undefined) return env.SCOREL_HOST_TOKEN?.trim() || undefined;
  let token: string;
  try {
    const file = openRegular(path);
    if (!file) throw new Error("it is not a regular file");
    try {
      if (file.stat.mode & 0o077) throw new Error("other users can read it; chmod 600 it");
      token = readFileSync(file.fd, "utf8").trim();
    } finally {
      closeSync(file.fd);
    }
  } catch (thrown) {
    throw errors.WS_TOKEN_FILE({ path, problem: UNREADABLE[codeOf(thrown)] ?? messageOf(thrown) }, { cause: thrown });
  }
  if (!/^[\w.~+/=-]{1,1024}$/.test(token)) throw errors.WS_TOKEN_FILE({ path, problem: "it contains no token" });
  return token;
}
