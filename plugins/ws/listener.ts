import { readFileSync } from "node:fs";
import { connect, isIPv6, type Socket, type TcpNetConnectOpts } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { errors } from "./errors.ts";

const TRY_AGAIN_MS = 5;
const ROOT = 0;
/** Lists of this computer's TCP connections, on Linux: one in each line, with its owner. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/**
 * Connects to a port of this computer, and only succeeds if the program at the other end belongs to this user or to root. While the host
 * does not run, any user of the computer can listen at its port. Throws WS_OTHER_USER. Where owners cannot be seen, as outside
 * of Linux, any program will do.
 */
export async function connectToOwn(options: TcpNetConnectOpts, address: string, limitMs: number): Promise<Socket> {
  const socket = await connected(options, limitMs);
  try {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const owner = ownerOf(socket);
      if (owner === undefined || owner === process.getuid?.() || owner === ROOT) return socket;
      if (owner !== "nobody yet") throw errors.WS_OTHER_USER({ address, uid: owner });
      if (socket.destroyed || performance.now() > deadline) throw new Error("it does not accept the connection");
      await pause(TRY_AGAIN_MS);
    }
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

function connected(options: TcpNetConnectOpts, limitMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...options, signal: AbortSignal.timeout(limitMs) });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      // The request that gets this socket has a listener of its own.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/**
 * The user of the program at the other end of a connection within this computer. "nobody yet" while no program has accepted it, which
 * the system lists as root's. Undefined when the connection is not listed.
 */
function ownerOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): number | "nobody yet" | undefined {
  if (process.platform !== "linux" || !localAddress || !remoteAddress || !localPort || !remotePort) return undefined;
  const [theirs, ours] = [namesOf(remoteAddress, remotePort), namesOf(localAddress, localPort)];
  for (const table of TABLES)
    for (const line of linesOf(table)) {
      const [, local = "", remote = "", , , , , uid, , inode] = line.trim().split(/\s+/);
      if (theirs.includes(local) && ours.includes(remote)) return inode === "0" ? "nobody yet" : Number(uid);
    }
  return undefined;
}

function linesOf(table: string): string[] {
  try {
    return readFileSync(table, "latin1").split("\n");
  } catch {
    return []; // A system that does not list connections.
  }
}

/** An address with a port as the tables write it: an IPv4 address also as the IPv6 one that stands for it. */
function namesOf(address: string, port: number): string[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (plain === "::1") return [`${"0".repeat(24)}01000000${end}`];
  if (isIPv6(plain)) return [];
  const bytes = plain.split(".").reverse();
  const name = bytes.map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, "0")).join("");
  return [`${name}${end}`, `0000000000000000FFFF0000${name}${end}`];
}
