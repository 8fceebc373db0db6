import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { SandboxCommand, SandboxLimits, SandboxMount, SandboxService } from "@scorel/sandbox/contract";
import type { Environment } from "./environment.ts";
import { errors } from "./errors.ts";

/** Puts a program with its arguments, its directory and its environment into the sandbox. */
export type Confine = (
  argv: readonly [string, ...string[]],
  cwd: string,
  env: Record<string, string>,
) => Promise<SandboxCommand>;

const GiB = 1024 * 1024 * 1024;
/** Builds and tests are larger than what a skill runs; the command's own time limit ends them. */
const LIMITS: Partial<SandboxLimits> = {
  cpuSeconds: 24 * 3600,
  memoryBytes: 64 * GiB,
  processes: 16_384,
  fileBytes: 1024 * GiB,
};
/** What the host's folders of the same name hold is not there. */
const OWN_FOLDERS = { HOME: "/tmp", TMPDIR: "/tmp" };

/** How commands are confined when `[tools.bash] sandbox` asks for it; throws BASH_NO_SANDBOX when nothing can. */
export function confinement(env: Environment): Confine | undefined {
  const { sandbox, network } = env.bash();
  if (!sandbox) return undefined;
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

async function confine(wanted: Wanted, service: SandboxService, { workspace }: Environment): Promise<SandboxCommand> {
  const { root, temp, allowWrite } = workspace;
  const made: string[] = [];
  const shut = controlPathsOf(root).filter((path) => standIn(path, made));
  const mounts: SandboxMount[] = [
    ...[root, temp, ...allowWrite].map((path): SandboxMount => ({ path, access: "write" })),
    ...shut.map((path): SandboxMount => ({ path, access: "read" })),
  ];
  const tidy = () => made.reverse().forEach(removeIfEmpty);
  try {
    const command = await service.command({ ...wanted, env: named(wanted.env), mounts, limits: LIMITS });
    return { ...command, release: () => command.release().finally(tidy) };
  } catch (thrown) {
    tidy();
    throw thrown;
  }
}

/** Shells export functions under names that are none. */
function named(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^[A-Za-z_]\w*$/.test(name)));
}

/** What steers the agent, and git on the other side of the sandbox. */
function controlPathsOf(root: string): string[] {
  const git = join(root, ".git");
  const ofGit = existsSync(git) ? [join(git, "hooks"), join(git, "config")] : [];
  return [join(root, ".scorel"), ...ofGit];
}

/** Whether there is something to shut; for a folder that is missing an empty one stands in, so that none can be made. */
function standIn(path: string, made: string[]): boolean {
  if (existsSync(path)) return true;
  if (path.endsWith("config")) return false;
  try {
    mkdirSync(path);
    made.push(path);
    return true;
  } catch (thrown) {
    // Below a `.git` that is a file there is nothing, and nothing can come to be.
    if (codeOf(thrown) === "ENOTDIR") return false;
    throw thrown;
  }
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another command's sandbox still stands on it, or somebody has put something there in the meantime.
  }
}
