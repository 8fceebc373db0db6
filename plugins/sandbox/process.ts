import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { codeOf, messageOf, newId } from "@scorel/kernel";
import { withoutInherited } from "@scorel/kit/process/inherited";
import type { Ledger } from "@scorel/kit/process/ledger";
import { endTree, HeldGroups, killGroup, MARK } from "@scorel/kit/process/tree";
import type { SandboxEnd, SandboxOptions, SandboxRun } from "./contract.ts";
import { errors } from "./errors.ts";
import type { ExecutorCommand, ReadyJob } from "./executor.ts";
import { Output } from "./output.ts";
import { watchUse } from "./watch.ts";

/** The groups of all running programs of this process. */
const groups = new HeldGroups();

/** Reports that temporary files could not be removed, which does not change how a program ended. */
type Report = (thrown: unknown) => void;

/** Starts a command and watches it until it ends. Throws SANDBOX_START. */
export async function run(
  command: ExecutorCommand,
  job: ReadyJob,
  options: SandboxOptions,
  ledger: Ledger,
  report: Report,
): Promise<SandboxRun> {
  const reporting = { ...command, release: () => command.release().catch(report) };
  const running = await begin(reporting, job, options, ledger);
  await running.started();
  return running;
}

async function begin(
  command: ExecutorCommand,
  job: ReadyJob,
  options: SandboxOptions,
  ledger: Ledger,
): Promise<Running> {
  try {
    return new Running(command, job, options, ledger);
  } catch (thrown) {
    await command.release();
    const tooLong = codeOf(thrown) === "E2BIG";
    const reason = tooLong ? "an argument is longer than the system takes; put it into a file" : messageOf(thrown);
    throw errors.SANDBOX_START({ executor: command.executor, reason }, { cause: thrown });
  }
}

class Running implements SandboxRun {
  readonly executor;
  readonly ended: Promise<SandboxEnd>;
  private readonly command: ExecutorCommand;
  /** Records programs that would survive this process, because no sandbox ends them. */
  private readonly ledger: Ledger;
  private readonly child: ChildProcess;
  private readonly began = performance.now();
  /**
   * A marker in the environment, by which processes that left the process group are found when there is no namespace.
   */
  private readonly mark = newId();
  private readonly settle: (() => void)[] = [];
  private reason: SandboxEnd["ended"];
  private killing: Promise<void> | undefined;
  private readonly output: Output;

  constructor(command: ExecutorCommand, job: ReadyJob, options: SandboxOptions, ledger: Ledger) {
    const { signal, interactive } = options;
    const { executor, env, direct } = command;
    const { file, args } = direct ?? command;
    this.executor = executor;
    this.ledger = ledger;
    this.command = command;
    if (executor === "local") ledger.expect(this.mark);
    const files: number[] = [];
    try {
      for (const { path, flags } of direct?.files ?? []) files.push(openSync(path, flags));
      this.child = withoutInherited([interactive ? "pipe" : "ignore", "pipe", "pipe", ...files], (stdio) =>
        spawn(file, args, {
          cwd: executor === "local" ? job.cwd : "/",
          env: executor === "local" ? { ...env, [MARK]: this.mark } : env,
          detached: true,
          stdio,
        }),
      );
    } catch (thrown) {
      ledger.remove(this.mark);
      throw thrown;
    } finally {
      files.forEach(closeSync);
    }
    const { stdout, stderr } = this.child;
    if (!stdout || !stderr) {
      ledger.remove(this.mark);
      // Without free file descriptors, Node does not start the process and emits an error later.
      this.child.once("error", () => {});
      throw new Error("no more files can be open at once; raise the limit, see `ulimit -n`");
    }
    // Write errors are reported by `write`.
    this.child.stdin?.on("error", () => {});
    this.output = new Output({ stdout, stderr }, options);
    this.ended = this.watch(job, signal);
  }

  /** Resolves when the process runs. */
  async started(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.child.once("spawn", resolve);
        this.child.once("error", reject);
      });
      if (this.executor === "local") this.ledger.add(this.child.pid as number, this.mark);
    } catch (thrown) {
      this.ledger.remove(this.mark);
      await this.command.release();
      const missing = codeOf(thrown) === "ENOENT";
      const reason = missing ? "the program or its directory does not exist" : messageOf(thrown);
      throw errors.SANDBOX_START({ executor: this.executor, reason }, { cause: thrown });
    }
  }

  write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const { stdin } = this.child;
      const refuse = (reason: string, cause?: Error) => reject(errors.SANDBOX_STDIN({ reason }, { cause }));
      if (!stdin?.writable) refuse("it is closed");
      else
        stdin.write(text, (error) => {
          if (error) refuse(codeOf(error), error);
          // Node does not report the failure of a pending write when the program ends.
          else if (stdin.destroyed) refuse("it has ended");
          else resolve();
        });
    });
  }

  closeStdin(): void {
    this.child.stdin?.end();
  }

  async kill(): Promise<void> {
    this.end("killed");
    await this.ended;
  }

  private async watch(job: ReadyJob, signal: AbortSignal | undefined): Promise<SandboxEnd> {
    const exited = new Promise<number | undefined>((resolve) => {
      this.child.once("exit", (code, name) => resolve(code ?? signalled(name)));
      this.child.once("error", () => resolve(undefined));
    });
    this.bound(job, signal);
    const { pid } = this.child;
    if (pid !== undefined) groups.hold(pid);
    const exitCode = await exited;
    if (pid !== undefined) groups.release(pid);
    for (const stop of this.settle.splice(0)) stop();
    const durationMs = Math.round(performance.now() - this.began);
    await this.output.waitBriefly();
    await this.killing;
    if (pid !== undefined && this.executor === "local") await endTree(undefined, this.mark);
    await this.output.waitForRest();
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
    this.ledger.remove(this.mark);
    const ended = await this.outcome(exitCode, durationMs).catch((thrown) => ({
      failed: messageOf(thrown),
      durationMs,
    }));
    await this.command.release();
    return ended;
  }

  /** Kills the program when its time is over, when it is cancelled, or when it exceeds a limit. */
  private bound(job: ReadyJob, signal: AbortSignal | undefined): void {
    const timer = setTimeout(() => this.end("timeout"), Math.min(job.limits.seconds * 1000, 2 ** 31 - 1));
    const cancel = () => this.end("cancelled");
    signal?.addEventListener("abort", cancel, { once: true });
    this.settle.push(
      () => clearTimeout(timer),
      () => signal?.removeEventListener("abort", cancel),
    );
    const { pid } = this.child;
    if (pid !== undefined && this.command.watched)
      this.settle.push(watchUse(pid, job.limits, (excess) => this.end(excess)));
    if (signal?.aborted) cancel();
  }

  private async outcome(exitCode: number | undefined, durationMs: number): Promise<SandboxEnd> {
    if (this.reason || exitCode === undefined) return { ended: this.reason ?? "killed", durationMs };
    if (exitCode > 128 && (await this.command.outOfMemory?.())) return { ended: "memory", durationMs };
    const failed = await this.command.failure(exitCode, this.output.stderr);
    return failed === undefined ? { exitCode, durationMs } : { failed, durationMs };
  }

  private end(reason: NonNullable<SandboxEnd["ended"]>): void {
    if (this.killing || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.reason = reason;
    this.killing = this.destroy();
  }

  private async destroy(): Promise<void> {
    const { pid } = this.child;
    if (pid === undefined) return;
    await this.command.kill?.();
    if (this.executor === "local") await endTree(pid, this.mark);
    else killGroup(pid);
  }
}

/** The exit code of a signal, as shells compute it. */
function signalled(name: NodeJS.Signals | null): number | undefined {
  const number = name === null ? undefined : constants.signals[name];
  return number === undefined ? undefined : 128 + number;
}
