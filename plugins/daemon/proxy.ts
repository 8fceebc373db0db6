import { connect, type Socket } from "node:net";
import type { Invocation } from "@scorel/cli/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { onAbort } from "@scorel/kit/values/abort";
import { errors } from "./errors.ts";
import { readyHost } from "./ready.ts";

/** The form of the greeting that the plugin `ssh` sends. Other characters could control a terminal that shows it. */
const GREETING = /^[A-Za-z\d_-]{1,200}$/;

/**
 * `scorel host proxy`: passes messages between stdin and stdout and the host's socket, until one of them ends. Nothing else is written to
 * stdout, except the greeting as its first line.
 */
export async function proxyCommand(
  { options, stdin, stdout, interrupt }: Invocation,
  start: () => Promise<unknown>,
): Promise<number> {
  const { greeting } = options;
  if (typeof greeting === "string" && !GREETING.test(greeting)) throw errors.DAEMON_GREETING();
  const { addresses } = await readyHost(options.start === true ? start : undefined);
  const path = addresses.find(({ transport }) => transport === "socket")?.address;
  if (path === undefined) throw errors.DAEMON_NO_SOCKET();
  const socket = await open(path);
  if (typeof greeting === "string") stdout.write(`${greeting}\n`);
  const failed = await carried(socket, stdin, stdout, interrupt);
  if (failed) throw errors.DAEMON_PROXY({ path, reason: messageOf(failed) }, { cause: failed });
  return 0;
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once("connect", () => resolve(socket));
    socket.once("error", (thrown) => reject(errors.DAEMON_PROXY({ path, reason: codeOf(thrown) }, { cause: thrown })));
  });
}

/** Passes bytes in both directions. Resolves when the host or the reader of stdout has ended, with the error if there was one. */
function carried(
  socket: Socket,
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  interrupt: AbortSignal,
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const end = (failed?: Error) => {
      stdin.unpipe(socket);
      stdin.destroy();
      socket.destroy();
      resolve(failed);
    };
    socket.once("error", end);
    socket.once("close", () => end());
    stdout.on("error", () => end());
    stdin.on("error", () => socket.end());
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
    // The host closes its end once it sees the end of the input.
    socket.once("end", () => socket.end());
    onAbort(interrupt, () => end());
  });
}
