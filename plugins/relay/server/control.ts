import { rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { codeOf, messageOf } from "@scorel/kernel";
import { lineChannel } from "@scorel/kit/net/line-channel";
import { errors } from "../errors.ts";
import { controlSocket } from "./data-folder.ts";
import type { RelayCounts } from "./relay-options.ts";

/** A request of the relay's owner to the running relay. */
export type ControlRequest = { type: "status" } | { type: "block"; id: string };

export interface RelayStatus extends RelayCounts {
  pid: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  address: string;
  names: readonly string[];
  /** Memory of the process in bytes. */
  memory: number;
  /** Whether the relay is connected to its bus; undefined if it has none. */
  bus?: boolean;
}

const ANSWER_MS = 5_000;
const MAX_LINE = 4_096;

/** Answers the commands of the owner over a socket. Its folder is private, so nobody else can connect. */
export async function serveControl(
  folder: string,
  answer: (request: ControlRequest) => RelayStatus | undefined,
): Promise<Server> {
  const path = controlSocket(folder);
  // The socket of a relay that was killed. The lock of the folder is held, so no other relay uses it.
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on("error", () => {});
    const channel = lineChannel(socket, socket, { maxFirstBytes: MAX_LINE });
    channel.open({
      message: (text) => {
        channel.send(answered(text, answer));
        channel.close();
      },
      closed: () => {},
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (thrown) =>
      reject(errors.RELAY_LISTEN({ address: path, reason: codeOf(thrown) }, { cause: thrown })),
    );
    server.listen(path, resolve);
  });
  return server;
}

function answered(text: string, answer: (request: ControlRequest) => RelayStatus | undefined): string {
  try {
    return JSON.stringify({ result: answer(JSON.parse(text) as ControlRequest) ?? null });
  } catch (thrown) {
    return JSON.stringify({ error: messageOf(thrown) });
  }
}

/** Sends a request to the relay that uses this folder. Throws RELAY_NOT_RUNNING, RELAY_CONTROL. */
export async function askRelay(folder: string, request: ControlRequest): Promise<RelayStatus | undefined> {
  const socket = await connected(folder);
  const channel = lineChannel(socket, socket);
  let limit: NodeJS.Timeout | undefined;
  try {
    const text = await new Promise<string>((resolve, reject) => {
      limit = setTimeout(() => reject(new Error("no answer within 5 s")), ANSWER_MS);
      channel.open({ message: resolve, closed: (reason) => reject(new Error(reason ?? "it closed the connection")) });
      channel.send(JSON.stringify(request));
    });
    const { result, error } = JSON.parse(text) as { result?: RelayStatus | null; error?: string };
    if (error !== undefined) throw new Error(error);
    return result ?? undefined;
  } catch (thrown) {
    throw errors.RELAY_CONTROL({ reason: messageOf(thrown) }, { cause: thrown });
  } finally {
    clearTimeout(limit);
    channel.close();
  }
}

function connected(folder: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(controlSocket(folder));
    socket.once("connect", () => resolve(socket));
    socket.once("error", (thrown) => reject(errors.RELAY_NOT_RUNNING({ folder }, { cause: thrown })));
  });
}
