import { messageOf } from "@scorel/kernel";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import type { ExecutorName, SandboxCommand, SandboxJob, SandboxLimits, SandboxMount } from "./contract.ts";

/** A mount, or an empty folder in place of one of the host (`none`). */
export type ReadyMount = Omit<SandboxMount, "access"> & { access: SandboxMount["access"] | "none" };

/** A job with all defaults filled in. */
export interface ReadyJob extends Required<Omit<SandboxJob, "limits" | "mounts">> {
  mounts: readonly ReadyMount[];
  limits: SandboxLimits;
  interactive: boolean;
}

/** A command, and the functions of its executor that go with it. */
export interface ExecutorCommand extends SandboxCommand {
  /** The same command without a shell, for callers that can open these files as descriptors from 3 on. */
  direct?: { file: string; args: string[]; files: readonly { path: string; flags: "r" | "w" }[] };
  /** Whether its use of memory and processes must be watched, because the executor does not limit it. */
  watched: boolean;
  /** Why the program never ran, if the exit code and stderr mean that; otherwise undefined. */
  failure(exitCode: number, stderr: string): Promise<string | undefined>;
  /** Whether the program was killed for using too much memory, if the executor knows. */
  outOfMemory?(): Promise<boolean>;
  /** Kills what runs outside of the command's process tree. */
  kill?(): Promise<void>;
}

export interface Executor {
  readonly name: ExecutorName;
  /** Runs a program in the executor, and returns why that does not work on this machine; undefined if it works. */
  problem(): Promise<string | undefined>;
  command(job: ReadyJob): Promise<ExecutorCommand>;
}

/** Why an executor does not work; an error while trying it counts as a reason. */
export function problemOf(executor: Executor): Promise<string | undefined> {
  return executor.problem().catch((thrown: unknown) => messageOf(thrown));
}

/** A private folder for executors, which programs cannot write to. */
export function makeFolder(): string {
  return makeTemporaryFolder("scorel-sandbox-");
}

/** Default variables of every program. */
export const defaultEnv = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
} as const;
