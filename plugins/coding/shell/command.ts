import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, newId } from "@scorel/kernel";
import { endTree, killGroup, MARK } from "@scorel/kit/process/tree";
import type { SandboxCommand } from "@scorel/sandbox/contract";
import { errors } from "../errors.ts";
import type { Confine } from "./confinement.ts";
import type { ReadyShell, Shell } from "./ready-shell.ts";

/** How long to wait for output after a command has ended; background processes may keep its pipe open. */
const PIPE_GRACE_MS = 100;

export interface Command {
  command: string;
  cwd: string;
  env: Record<string, string>;
  /** Wraps the command in the sandbox; unset means no sandbox. */
  confine?: Confine | undefined;
  /** Unset means no limit. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Receives stdout and stderr, in order of arrival. */
  onText(text: string): void;
  /** Called when the command runs. */
  onStart?(started: Started): void;
  /** Whether processes left behind belong to the command; its end function then stays in `running`. */
  keep?: boolean;
  /** A waiting shell to use if the command is not sandboxed. */
  ready?: ReadyShell;
}
export interface Started {
  pid: number;
  /** The environment marker by which all its descendants are found. */
  mark: string;
  reading: Paused;
}
/** Output that can be paused; its writer then blocks. */
export interface Paused {
  pause(): void;
  resume(): void;
}
export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Why Scorel killed the command. */
  ended?: "timeout" | "cancelled";
  /** Whether background processes kept its output open. */
  leftOpen: boolean;
}

/** Kills a command and everything it started. */
export type End = () => Promise<void>;

/**
 * Runs a command in its own process group. While it runs, `running` contains a function that kills it. Throws BASH_SPAWN when
 * its shell cannot be started.
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

/** All running process groups of this process, to be killed if it exits first. */
const groups = new Set<number>();
function killGroups(): void {
  for (const group of groups) killGroup(group);
}

interface Program {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
}

/**
 * The outer shell joins both output streams into one pipe, to keep their order, and then replaces itself with the inner shell.
 */
function shellFor(command: string): Program["argv"] {
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  return ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&1', shell, command];
}

/** Joins the streams of a sandboxed command too, since the sandbox reports start errors on stderr. */
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

/** Stops waiting for a killed process that the system cannot end, for example during disk I/O. */
async function unstoppable(): Promise<Pick<Ended, "exitCode" | "signal">> {
  await delay(PIPE_GRACE_MS, undefined, { ref: false });
  return { exitCode: null, signal: "SIGKILL" };
}

/** Waits for the command's end (undefined), its time limit or a cancellation, whichever is first. */
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

/** Decodes output across chunks, so that a split character stays intact. */
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
