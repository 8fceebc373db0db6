import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import type { Channel } from "@scorel/host/client";
import { type LineChannel, lineChannel } from "@scorel/kit/net/line-channel";
import { findProgram, ownPath } from "@scorel/kit/process/programs";
import { plainText } from "@scorel/kit/text/plain";
import { errors } from "./errors.ts";
import { AfterGreeting } from "./greeting.ts";

export interface DialOptions {
  /** Starts a host on the other computer if none runs there. */
  start?: boolean | undefined;
  /** Reconnects after a lost connection: the user is not asked for a password, and no host is started. */
  again?: boolean | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/** Exit code of a shell that does not find a program. */
const NOT_FOUND = 127;
/** The most bytes of a host's first message. */
const MAX_WELCOME = 64 * 1024;
/** The most characters that are kept of the stderr of ssh and the other computer. */
const MAX_OUTPUT = 4_000;
/**
 * Time limits in milliseconds: `first` for the first connection, for which a person may have to type a password, `again` for later ones,
 * and `end` for ssh to end after its channel is closed, before it is killed.
 */
const LIMITS = { first: 120_000, again: 10_000, end: 1_000 };

/**
 * Options of ssh: no terminal, no forwarding, and none of the other actions that the user's configuration may contain. A connection that
 * does not answer ends after a minute.
 */
const SETTINGS = [
  ...["-T", "-a", "-x", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none", "-o", "PermitLocalCommand=no"],
  ...["-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"],
];

type Ssh = ChildProcessByStdio<Writable, Readable, Readable>;

/** Connects to the host of another computer: runs `scorel host proxy` there, through ssh. Throws SSH errors. */
export function dialOverSsh(url: URL, { start, again, env }: DialOptions, limits = LIMITS): Promise<Channel> {
  const target = targetOf(url);
  const program = findProgram("ssh", ownPath(env.PATH));
  if (program === undefined) throw errors.SSH_MISSING();
  // Output of the other computer's shell before the proxy runs is not a message, so the proxy first repeats this secret word.
  const word = randomBytes(16).toString("hex");
  const proxy = ["scorel", "host", "proxy", "--greeting", word, ...(start && !again ? ["--start"] : [])];
  const quiet = again ? ["-o", "BatchMode=yes"] : [];
  const ssh: Ssh = spawn(program, [...SETTINGS, ...quiet, "--", target, proxy.join(" ")], {
    // SSH needs no token, and may be configured to pass on variables or to run other programs.
    env: { ...env, SCOREL_HOST_TOKEN: undefined },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const said = collect(ssh.stderr);
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => {
      clearTimeout(limit);
      reject(error);
      input.destroy();
    };
    const ms = again ? limits.again : limits.first;
    const limit = setTimeout(() => failed(errors.SSH_SILENT({ target, ms, output: said() })), ms);
    const input = new AfterGreeting(word, () => {
      clearTimeout(limit);
      resolve(watched(channel, said));
    });
    input.once("error", (thrown) => failed(errors.SSH_NOISE({ target, reason: thrown.message }, { cause: thrown })));
    const channel = lineChannel(ssh.stdout.pipe(input), ssh.stdin, { maxFirstBytes: MAX_WELCOME });
    input.once("close", () => killLater(ssh, limits.end));
    ssh.once("error", (thrown) => failed(errors.SSH_ENDED({ target, code: null, output: thrown.message })));
    ssh.once("close", (code) => {
      const output = said();
      const isMissing = code === NOT_FOUND;
      failed(isMissing ? errors.SSH_NO_SCOREL({ target }) : errors.SSH_ENDED({ target, code, output }));
    });
  });
}

/** Stops reading from ssh, and kills it if it does not end by itself within `ms` milliseconds. */
function killLater(ssh: Ssh, ms: number): void {
  for (const stream of [ssh.stdout, ssh.stdin]) stream.destroy();
  // A timer alone keeps no process running, but a running ssh does.
  const signals = (["SIGTERM", "SIGKILL"] as const).map((signal, index) =>
    setTimeout(() => ssh.kill(signal), (index + 1) * ms).unref(),
  );
  ssh.once("exit", () => {
    for (const timer of signals) clearTimeout(timer);
    ssh.stderr.destroy();
  });
}

/** The target for ssh in an address: the part after `ssh:`, or the whole URL if ssh itself understands it. Throws SSH_TARGET. */
function targetOf({ href, pathname }: URL): string {
  const target = href.startsWith("ssh://") ? href.replace(/\/$/, "") : decoded(pathname);
  // A target that begins with a hyphen would be an option. Other characters could have a meaning in a proxy command.
  const isPlain = /^(ssh:\/\/)?[a-z\d_[][\w.@:%+[\]-]{0,254}$/i.test(target) && !/@-|:\/\/-/.test(target);
  if (!isPlain) throw errors.SSH_TARGET({ target });
  return target;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Collects the output of a stream. Returns a function that returns its end, made safe to show since it comes from another computer. */
function collect(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-MAX_OUTPUT);
  });
  stream.on("error", () => {});
  return () => plainText(text).trim();
}

/** Wraps a channel so that its end comes with a reason: the end of ssh's output. */
function watched(channel: LineChannel, said: () => string): Channel {
  return {
    get received() {
      return channel.received;
    },
    send: (message) => channel.send(message),
    close: () => channel.close(),
    open: ({ message, closed }) =>
      channel.open({ message, closed: (reason) => closed(reason ?? (said().split("\n").at(-1) || undefined)) }),
  };
}
