import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { newId } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { Ledger } from "@scorel/kit/process/ledger";
import { endTree, HeldGroups, MARK } from "@scorel/kit/process/tree";

export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A program to start as a server. */
export interface Program {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** A running server, with the mark by which its child processes are found. */
export interface ServerProcess {
  child: Child;
  /** Ends the server and all processes that it has started. */
  end(): Promise<void>;
}

/** Process groups of all servers of this process. */
const groups = new HeldGroups();
/** Milliseconds that a server has to exit after its input was closed. */
const GRACE_MS = 300;

/** Processes of a session's servers. They are recorded on disk, so that the next start can end them if this process is killed. */
export class ServerProcesses {
  private readonly ledger: Ledger;

  constructor(sessionId: string, report: (thrown: unknown) => void) {
    this.ledger = new Ledger(join(userDir(), "processes"), `${sessionId}-mcp`, report);
  }

  /** Starts a program in a process group of its own. Rejects with the system's error. */
  async start({ command, args, env, cwd }: Program): Promise<ServerProcess> {
    const mark = newId();
    this.ledger.expect(mark);
    const child = spawn(command, args, {
      cwd,
      env: { ...env, [MARK]: mark },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    try {
      await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    } catch (thrown) {
      this.ledger.remove(mark);
      throw thrown;
    }
    const group = child.pid as number;
    groups.hold(group);
    this.ledger.add(group, mark);
    let ending: Promise<void> | undefined;
    const end = async () => {
      child.stdin.end();
      await ended(child, GRACE_MS);
      await endTree(isOver(child) ? undefined : group, mark);
      groups.release(group);
      this.ledger.remove(mark);
    };
    return { child, end: () => (ending ??= end()) };
  }

  /** Deletes the record on disk. To be called when all processes have ended. */
  close(): void {
    this.ledger.clear();
  }
}

function isOver({ exitCode, signalCode }: Child): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Waits until the process has ended, at most `ms` milliseconds. */
async function ended(child: Child, ms: number): Promise<void> {
  if (isOver(child)) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
