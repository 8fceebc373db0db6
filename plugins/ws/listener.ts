import { readFile } from "node:fs/promises";
import { connect, isIPv6, type Socket, type TcpNetConnectOpts } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { errors } from "./errors.ts";

/** Milliseconds between two checks of the owner: the first and the longest interval. */
const TRY_AGAIN_MS = 5;
const MAX_TRY_AGAIN_MS = 80;
const ROOT = 0;
/** Linux's lists of this computer's TCP connections: one per line, with its owner. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/**
 * Connects to a port of this computer if the program at the other end belongs to this user or to root: while the host does not run, any
 * user of the computer can listen at its port. Otherwise throws WS_OTHER_USER. Where owners are unknown, as on systems other than Linux,
 * any program is accepted.
 */
export async function connectToOwn(options: TcpNetConnectOpts, address: string, limitMs: number): Promise<Socket> {
  const socket = await connected(options, limitMs);
  try {
    const deadline = performance.now() + limitMs;
    for (let wait = TRY_AGAIN_MS; ; wait = Math.min(2 * wait, MAX_TRY_AGAIN_MS)) {
      const owner = await ownerOf(socket);
      if (owner === undefined || owner === process.getuid?.() || owner === ROOT) return socket;
      if (owner !== "nobody yet") throw errors.WS_OTHER_USER({ address, uid: owner });
      if (socket.destroyed || performance.now() > deadline) throw new Error("it does not accept the connection");
      await pause(wait);
    }
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

function connected(options: TcpNetConnectOpts, limitMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    // A timer instead of a signal, since a signal would stay with the socket and could end the connection later.
    const limit = setTimeout(() => socket.destroy(new Error("it does not accept the connection")), limitMs);
    socket.once("close", () => clearTimeout(limit));
    socket.once("error", reject);
    socket.once("connect", () => {
      clearTimeout(limit);
      socket.off("error", reject);
      // The request that uses this socket listens for errors itself.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/**
 * The user id of the program at the other end of a connection within this computer; "nobody yet" while no program has accepted the
 * connection, which the system then lists as root's; undefined when the connection is not listed.
 */
async function ownerOf({
  localAddress,
  localPort,
  remoteAddress,
  remotePort,
}: Socket): Promise<number | "nobody yet" | undefined> {
  if (process.platform !== "linux" || !localAddress || !remoteAddress || !localPort || !remotePort) return undefined;
  const theirs = namesOf(remoteAddress, remotePort);
  const ours = namesOf(localAddress, localPort);
  const lists = await listed();
  for (const [index, name] of theirs.entries()) {
    const at = lists.indexOf(` ${name} ${ours[index]} `);
    if (at < 0) continue;
    // The fields after the two addresses: state, queues, timer, retransmits, owner, timeout, inode.
    const [, , , , , , uid, , inode] = lists.slice(at, lists.indexOf("\n", at)).trim().split(/\s+/);
    return inode === "0" ? "nobody yet" : Number(uid);
  }
  return undefined;
}

let reading: Promise<string> = Promise.resolve("");
let next: Promise<string> | undefined;

/**
 * The lists of connections at a time after this call; "" on a system without such lists. A large computer needs some milliseconds to write
 * them, so all calls during one reading share the next one.
 */
function listed(): Promise<string> {
  next ??= reading.then(() => {
    next = undefined;
    reading = Promise.all(TABLES.map(readList)).then((texts) => texts.join(""));
    return reading;
  });
  return next;
}

function readList(path: string): Promise<string> {
  return readFile(path, "latin1").catch(() => "");
}

/** The forms of an address with a port in the tables: an IPv4 address also appears as an IPv6 address. */
function namesOf(address: string, port: number): string[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (plain === "::1") return [`${"0".repeat(24)}01000000${end}`];
  if (isIPv6(plain)) return [];
  const bytes = plain.split(".").reverse();
  const name = bytes.map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, "0")).join("");
  return [`${name}${end}`, `0000000000000000FFFF0000${name}${end}`];
}
