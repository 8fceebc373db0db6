import { existsSync } from "node:fs";
import type { SandboxLimits } from "./contract.ts";

const PRLIMIT = "/usr/bin/prlimit";

/** The path of `prlimit`, which sets limits and then becomes the program; undefined if the system lacks it. */
export const limiter = (): string | undefined => (existsSync(PRLIMIT) ? PRLIMIT : undefined);

/**
 * Adds the system's limits, which apply to each process. The memory limit covers writable memory, not address space,
 * which some runtimes reserve excessively. `ownUsers` says that the program runs as a user in its own namespace, so
 * that only its processes count towards the limit of processes.
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
