import { messageOf } from "@scorel/kernel";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import type { ExecutorName, SandboxCommand, SandboxJob, SandboxLimits } from "./contract.ts";

/** A job with everything said. */
export interface ReadyJob extends Required<Omit<SandboxJob, "limits">> {
  limits: SandboxLimits;
  interactive: boolean;
}

/** A command with what its executor can tell and do when it is over. */
export interface ExecutorCommand extends SandboxCommand {
  /** The same command without a shell before it, for who can open these files as its descriptors from 3 on. */
  direct?: { file: string; args: string[]; files: readonly { path: string; flags: "r" | "w" }[] };
  /** What the executor does not bound itself, and so has to be watched. */
  watched: boolean;
  /** Why the program never ran, when that is what this end means. */
  failure(exitCode: number, stderr: string): Promise<string | undefined>;
  /** Whether it was ended for using too much memory, where the executor knows. */
  outOfMemory?(): Promise<boolean>;
  /** Ends what lives outside the command's own process tree. */
  kill?(): Promise<void>;
}

/** One way to run programs. */
export interface Executor {
  readonly name: ExecutorName;
  /** Why it does not work here; undefined when a program has been run in it. */
  problem(): Promise<string | undefined>;
  command(job: ReadyJob): Promise<ExecutorCommand>;
}

/** Why it does not work here, also where that could not be found out. */
export function problemOf(executor: Executor): Promise<string | undefined> {
  return executor.problem().catch((thrown: unknown) => messageOf(thrown));
}

/** A private folder for what executors need beside a program's mounts: no program may write there. */
export function makeFolder(): string {
  return makeTemporaryFolder("scorel-sandbox-");
}

/** What every program finds when the job says nothing else. */
export const defaultEnv = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
} as const;
