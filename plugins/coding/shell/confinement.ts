import type { SandboxCommand, SandboxLimits, SandboxMount, SandboxService } from "@scorel/sandbox/contract";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { controlMounts } from "./control-mounts.ts";

/** Wraps a program with its arguments, directory and environment in the sandbox. */
export type Confine = (
  argv: readonly [string, ...string[]],
  cwd: string,
  env: Record<string, string>,
) => Promise<SandboxCommand>;

const GiB = 1024 * 1024 * 1024;
/** Limits for builds and tests, which need more than skills. The command's time limit still applies. */
const LIMITS: Partial<SandboxLimits> = {
  cpuSeconds: 24 * 3600,
  memoryBytes: 64 * GiB,
  processes: 16_384,
  fileBytes: 1024 * GiB,
};
/** The host's folders of these variables are not visible in the sandbox. */
const OWN_FOLDERS = { HOME: "/tmp", TMPDIR: "/tmp" };

/**
 * Returns a function that wraps commands in the sandbox; undefined unless `[tools.bash] sandbox` is set. Throws
 * BASH_NO_SANDBOX when there is no sandbox.
 */
export function confinement(env: Environment): Confine | undefined {
  const { sandbox, network } = env.bash();
  if (!sandbox) return undefined;
  if (!env.processes.local || !env.files.local) throw errors.BASH_SANDBOX_ELSEWHERE();
  const service = env.sandbox();
  if (!service) throw errors.BASH_NO_SANDBOX();
  return (argv, cwd, variables) => confine({ argv, cwd, env: { ...variables, ...OWN_FOLDERS }, network }, service, env);
}

interface Wanted {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  network: boolean;
}

async function confine(wanted: Wanted, service: SandboxService, env: Environment): Promise<SandboxCommand> {
  const { root, temp, allowWrite } = env.workspace;
  const control = await controlMounts(root);
  // Placeholders that could not be removed do no harm, and the next command of the project removes them.
  const release = () => control.release().catch(() => {});
  const mounts: SandboxMount[] = [
    ...[root, temp, ...allowWrite].map((path): SandboxMount => ({ path, access: "write" })),
    ...control.mounts,
  ];
  try {
    const command = await service.command({ ...wanted, env: named(wanted.env), mounts, limits: LIMITS });
    // Only reported: the command has ended, and its result must not be lost.
    const failed = (thrown: unknown) => env.report("ending the sandbox of a command", thrown);
    return { ...command, release: () => command.release().catch(failed).finally(release) };
  } catch (thrown) {
    await release();
    throw thrown;
  }
}

/** Drops variables that are not valid names: exported shell functions. */
function named(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^[A-Za-z_]\w*$/.test(name)));
}
