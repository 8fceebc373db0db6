import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, newId } from "@scorel/kernel";
import { endTree, killGroup, MARK } from "@scorel/kit/process/tree";
import type { SandboxCommand } from "@scorel/sandbox/contract";
import type { Confine } from "./confinement.ts";
import { errors } from "./errors.ts";
import type { ReadyShell, Shell } from "./ready-shell.ts";

/** After a command has ended, what it left behind may still hold its output; that is not waited for longer. */
const PIPE_GRACE_MS = 100;

export interface Command {
  command: string;
  cwd: string;
  env: Record<string, string>;
  /** Default: it runs as it is. */
  confine?: Confine | undefined;
  /** Default: no limit. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Gets the output, stdout and stderr as they came. */
  onText(text: string): void;
  /** Hears that it runs. */
  onStart?(started: Started): void;
  /** What it leaves behind belongs to it: its end stays in `running`. */
  keep?: boolean;
  /** May have a shell that waits for a command, where no sandbox confines it. */
  ready?: ReadyShell;
}
/** A command that has just been started. */
export interface Started {
  pid: number;
  /** What all its descendants bear in their environment. */
  mark: string;
  reading: Paused;
}
/** Output that can be left unread for a while; whoever writes it has to wait then. */
export interface Paused {
  pause(): void;
  resume(): void;
}
export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Why it was ended from here. */
  ended?: "timeout" | "cancelled";
  /** Processes it left behind kept its output open. */
  leftOpen: boolean;
}

/** Ends a command with all that came from it. */
export type End = () => Promise<void>;

/**
 * Runs a command in its own process group; throws BASH_SPAWN when its shell cannot be started. While it runs,
 * `running` holds its end, for whoever has to end it from elsewhere.
 */
export async function runCommand(options: Command, running: Set<End>): Promise<Ended> {
  const mark = newId();
  const shell = shellFor(options.command);
  const confined = await options.confine?.(shell, options.cwd, options.env);
  try {
    options.signal?.throwIfAborted();
    const waiting = confined ? undefined : options.ready?.take(options.command, options);
    const program = confined ? joined(confined) : { argv: shell, ...options };
    const ended = await runShell(waiting ?? { child: await start(program, mark), mark }, options, running);
    if (!confined) options.ready?.prepare(options);
    return ended;
  } finally {
    await confined?.release();
  }
}

async function runShell({ child, mark }: Shell, options: Command, running: Set<End>): Promise<Ended> {
  const pid = child.pid as number;
  const over = () => child.exitCode !== null || child.signalCode !== null;
  const end = once(() => endTree(over() ? undefined : pid, mark));
  running.add(end);
  if (groups.add(pid).size === 1) process.on("exit", killGroups);
  options.onStart?.({ pid, mark, reading: child.stdout as Readable });
  try {
    const ended = await watch(child, options, end);
    if (!options.keep || ended.ended) running.delete(end);
    return ended;
  } finally {
    groups.delete(pid);
    if (groups.size === 0) process.off("exit", killGroups);
  }
}

/** What runs anywhere in this process, should it end before the commands do. */
const groups = new Set<number>();
function killGroups(): void {
  for (const group of groups) killGroup(group);
}

/** What is started for a command. */
interface Program {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
}

/** The outer shell joins both outputs into one pipe, which keeps their order, and becomes the inner one. */
function shellFor(command: string): Program["argv"] {
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  return ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&1', shell, command];
}

/** A sandbox says on stderr why it does not start. */
function joined({ file, args, env }: SandboxCommand): Program {
  return { argv: ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", file, ...args], cwd: "/", env };
}

async function start({ argv: [shell, ...args], cwd, env }: Program, mark: string): Promise<ChildProcess> {
  const child = spawn(shell, args, {
    cwd,
    env: { ...env, [MARK]: mark },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(errors.BASH_SPAWN({ shell, reason: codeOf(error) }, { cause: error })));
  });
  return child;
}

async function watch(child: ChildProcess, options: Command, end: End): Promise<Ended> {
  const reading = readText(child, options.onText);
  const exited = new Promise<Pick<Ended, "exitCode" | "signal">>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const stop = await firstOf(exited, options);
  if (stop) await end();
  const exit = await (stop ? Promise.race([exited, unstoppable()]) : exited);
  const closed = await reading.settle(PIPE_GRACE_MS);
  return { ...exit, ...(stop && { ended: stop }), leftOpen: !closed };
}

/** What the system does not let go even when killed (it waits for a dead disk, say) is not waited for. */
async function unstoppable(): Promise<Pick<Ended, "exitCode" | "signal">> {
  await delay(PIPE_GRACE_MS, undefined, { ref: false });
  return { exitCode: null, signal: "SIGKILL" };
}

/** What comes first: the end of the command (nothing), its time limit, or a cancel. */
function firstOf(exited: Promise<unknown>, { timeoutMs, signal }: Command): Promise<Ended["ended"]> {
  return new Promise((resolve) => {
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => done("timeout"), timeoutMs);
    const onAbort = () => done("cancelled");
    const done = (reason: Ended["ended"]) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(reason);
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    void exited.then(() => done(undefined));
  });
}

/** Decodes across chunks, so that a character split between two survives. */
function readText(child: ChildProcess, onText: (text: string) => void): { settle(graceMs: number): Promise<boolean> } {
  const decoder = new TextDecoder();
  const { stdout } = child;
  const closed = new Promise<true>((resolve) => stdout?.once("close", () => resolve(true)));
  stdout?.on("data", (chunk: Buffer) => onText(decoder.decode(chunk, { stream: true })));
  return {
    async settle(graceMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), graceMs);
      });
      const inTime = await Promise.race([closed, late]);
      clearTimeout(timer);
      stdout?.destroy();
      onText(decoder.decode());
      return inTime;
    },
  };
}

function once(work: End): End {
  let started: Promise<void> | undefined;
  return () => (started ??= work());
}
