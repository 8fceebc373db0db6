import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { endTree } from "@scorel/kit/process/tree";
import type { ProcessEnd, ProcessRequest, RunningProcess } from "../contract.ts";
import type { Shell } from "./ready-shell.ts";

/** How long to wait for output after a command has ended; background processes may keep its pipe open. */
const PIPE_GRACE_MS = 100;

type Exit = Pick<ProcessEnd, "exitCode" | "signal">;

/** A command that runs in its own process group. */
export class CommandProcess implements RunningProcess {
  readonly mark: string;
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ChildProcess;
  private readonly killed: Promise<void>;
  private readonly tellKilled: () => void;
  private ending: Promise<void> | undefined;

  constructor({ child, mark }: Shell, { onOutput }: Pick<ProcessRequest, "onOutput">) {
    this.child = child;
    this.mark = mark;
    let tell: () => void = () => {};
    this.killed = new Promise((resolve) => {
      tell = resolve;
    });
    this.tellKilled = tell;
    this.ended = this.watch(onOutput);
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get isKilled(): boolean {
    return this.ending !== undefined;
  }

  kill(): Promise<void> {
    this.ending ??= endTree(this.isOver ? undefined : this.pid, this.mark).finally(this.tellKilled);
    return this.ending;
  }

  pause(): void {
    this.child.stdout?.pause();
  }

  resume(): void {
    this.child.stdout?.resume();
  }

  private get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private async watch(onOutput: ProcessRequest["onOutput"]): Promise<ProcessEnd> {
    const { stdout } = this.child;
    const closed = new Promise<true>((resolve) => stdout?.once("close", () => resolve(true)));
    stdout?.on("data", onOutput);
    const exited = new Promise<Exit>((resolve) => {
      this.child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    const exit = await Promise.race([exited, this.unstoppable()]);
    const inTime = await within(PIPE_GRACE_MS, closed);
    stdout?.destroy();
    return { ...exit, leftOpen: !inTime };
  }

  /** Stops waiting for a killed process that the system cannot end, for example during disk I/O. */
  private async unstoppable(): Promise<Exit> {
    await this.killed;
    await delay(PIPE_GRACE_MS, undefined, { ref: false });
    return { exitCode: null, signal: "SIGKILL" };
  }
}

/** Whether the event comes within the time. */
async function within(ms: number, event: Promise<true>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([event, late]);
  clearTimeout(timer);
  return inTime;
}
