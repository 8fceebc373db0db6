import { existsSync } from "node:fs";
import type { SandboxLimits } from "./contract.ts";

const PRLIMIT = "/usr/bin/prlimit";

/** The program that sets limits on the one it becomes, where the system has it. */
export const limiter = (): string | undefined => (existsSync(PRLIMIT) ? PRLIMIT : undefined);

/**
 * A program under the system's own limits, which hold for each process. Memory counts what a process may write to, not
 * the address space, of which some runtimes reserve far more than they ever use. `ownUsers`: the program's user is one of
 * its namespace, so that only its own processes count as that user's.
 */
export function limited(argv: readonly string[], limits: SandboxLimits, ownUsers: boolean): string[] {
  const { cpuSeconds, memoryBytes, processes, fileBytes } = limits;
  const options = [
    `--cpu=${cpuSeconds}:${cpuSeconds + 1}`,
    `--data=${memoryBytes}`,
    ...(ownUsers ? [`--nproc=${processes}`] : []),
    `--fsize=${fileBytes}`,
    "--core=0",
  ];
  return [PRLIMIT, ...options, "--", ...argv];
}
