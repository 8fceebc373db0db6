import { newId } from "@scorel/kernel";
import { Ledger } from "@scorel/kit/process/ledger";
import { HeldGroups } from "@scorel/kit/process/tree";
import type { ProcessRequest } from "../contract.ts";
import { CommandProcess } from "./command-process.ts";
import { ReadyShell, type Shell } from "./ready-shell.ts";
import { startShell } from "./start.ts";

/** The groups of all commands of this process. */
const groups = new HeldGroups();

/** The running commands of a session. */
export class LocalProcesses {
  private readonly ledger: Ledger;
  private readonly ready: ReadyShell;
  private readonly running = new Set<CommandProcess>();

  /** `folder` is where running commands are recorded, so that the next start can end them if this process is killed. */
  constructor(folder: string, sessionId: string, report: (thrown: unknown) => void, ready = new ReadyShell()) {
    this.ready = ready;
    this.ledger = new Ledger(folder, sessionId, report);
  }

  async start(request: ProcessRequest): Promise<CommandProcess> {
    const { command, background = false } = request;
    const mayWait = typeof command === "string" && !background;
    const waiting = mayWait ? this.ready.take(command, request) : undefined;
    const shell = waiting ?? (await this.begin(request));
    const started = new CommandProcess(shell, request);
    this.add(started);
    void started.ended.then(() => this.remove(started, request, mayWait));
    return started;
  }

  /** Ends all commands. */
  async endAll(): Promise<void> {
    await Promise.all([...this.running].map((each) => each.kill()));
  }

  async close(): Promise<void> {
    await this.endAll();
    this.ready.close();
    this.ledger.clear();
  }

  private async begin(request: ProcessRequest): Promise<Shell> {
    const mark = newId();
    this.ledger.expect(mark);
    try {
      return await startShell(request, mark);
    } catch (thrown) {
      this.ledger.remove(mark);
      throw thrown;
    }
  }

  private add(started: CommandProcess): void {
    this.running.add(started);
    groups.hold(started.pid);
    this.ledger.add(started.pid, started.mark);
  }

  private remove(over: CommandProcess, { background, cwd, env }: ProcessRequest, mayWait: boolean): void {
    groups.release(over.pid);
    if (mayWait) this.ready.prepare({ cwd, env });
    // Processes that a background command has left behind still belong to it.
    if (background && !over.isKilled) return;
    this.running.delete(over);
    this.ledger.remove(over.mark);
  }
}
