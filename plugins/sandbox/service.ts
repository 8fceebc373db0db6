import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import { type BaseContext, codeOf } from "@scorel/kernel";
import { ownFileTest, ownFolders } from "@scorel/kit/files/own-files";
import { isWithin, realOf } from "@scorel/kit/files/paths";
import { Ledger, ledgerFolder } from "@scorel/kit/process/ledger";
import { createBubblewrap } from "./bubblewrap.ts";
import type { SandboxConfig } from "./config.ts";
import { type ContainerSettings, createContainers } from "./container.ts";
import type { ExecutorName, SandboxJob, SandboxMount, SandboxOptions, SandboxService } from "./contract.ts";
import { errors } from "./errors.ts";
import { defaultEnv, type Executor, problemOf, type ReadyJob, type ReadyMount } from "./executor.ts";
import { executorFor } from "./inherited.ts";
import { createLocal } from "./local.ts";
import { run } from "./process.ts";

/** Chooses an executor when the first program is started, and keeps using it unless the session's parent requires another one. */
export function createSandbox(ctx: BaseContext, config: SandboxConfig, folder: () => string): SandboxService {
  let chosen: { of: SandboxConfig["executor"]; executor: Promise<Executor> } | undefined;
  const executor = () => {
    const of = executorFor(ctx, config);
    if (chosen?.of === of) return chosen.executor;
    const choice = { of, executor: choose(candidates(of, config, folder)) };
    chosen = choice;
    // The next attempt tries again, since a missing program may be installed by then.
    choice.executor.catch(() => {
      if (chosen === choice) chosen = undefined;
    });
    return choice.executor;
  };
  const report = (thrown: unknown) => ctx.report("sandbox", thrown);
  const ledger = new Ledger(ledgerFolder(homedir()), `${ctx.session.id}-programs`, report);
  ctx.onDispose(() => ledger.clear());
  const ready = (job: SandboxJob, interactive: boolean) => readyJob(job, config, interactive);
  return {
    executor: async () => (await executor()).name,
    async start(job, options: SandboxOptions = {}) {
      const whole = ready(job, options.interactive ?? false);
      return run(await (await executor()).command(whole), whole, options, ledger, report);
    },
    async command(job) {
      return (await executor()).command(ready(job, false));
    },
  };
}

/** The executors that confine programs, in the order in which `auto` prefers them. */
export const CONFINING: readonly ExecutorName[] = ["bubblewrap", "docker", "podman"];

/** Creates an executor by its name, without checking whether it works here. */
export function createExecutor(name: ExecutorName, settings: ContainerSettings): Executor {
  if (name === "local") return createLocal();
  return name === "bubblewrap" ? createBubblewrap(settings.folder) : createContainers(name, settings);
}

function candidates(asked: SandboxConfig["executor"], config: SandboxConfig, folder: () => string): Executor[] {
  const names = asked === "auto" ? CONFINING : [asked];
  return names.map((name) => createExecutor(name, { image: config.image, folder }));
}

/** The first executor that works. */
async function choose(executors: readonly Executor[]): Promise<Executor> {
  const tried: { executor: ExecutorName; reason: string }[] = [];
  for (const executor of executors) {
    const reason = await problemOf(executor);
    if (reason === undefined) return executor;
    tried.push({ executor: executor.name, reason });
  }
  throw errors.SANDBOX_NONE({ tried });
}

function readyJob(job: SandboxJob, config: SandboxConfig, interactive: boolean): ReadyJob {
  const { seconds, cpuSeconds, memoryBytes, processes, fileBytes } = config;
  const extra = config.read.map(
    (path): SandboxMount => ({ path: path.replace(/^~(?=\/)/, homedir()), access: "read" }),
  );
  const mounts = [...extra, ...job.mounts].map((mount) => ({ ...mount, path: withoutEndSlash(mount.path) }));
  for (const { path } of mounts) checkMount(path);
  const own = ownFolders(homedir(), realOf);
  const secret = mounts.find(({ path }) => ownFileTest(own)(path) === "secret");
  if (secret) throw errors.SANDBOX_JOB({ reason: `${secret.path} cannot be mounted: it holds Scorel's own keys` });
  if (!isAbsolute(job.cwd) || !mounts.some(({ path }) => isWithin(path, resolve(job.cwd))))
    throw errors.SANDBOX_JOB({ reason: `its directory ${job.cwd} is not in any of its mounts` });
  return {
    argv: job.argv,
    cwd: job.cwd,
    env: { ...defaultEnv, ...checkedEnv(job.env ?? {}) },
    mounts: withOwnFoldersHidden(own, mounts),
    network: job.network ?? false,
    limits: { seconds, cpuSeconds, memoryBytes, processes, fileBytes, ...job.limits },
    interactive,
  };
}

/**
 * Covers the user's own Scorel folders with empty ones, after the last mount that contains them: their keys, tokens and
 * sockets would let a program out of the sandbox. Mounts below them that come later stay visible.
 */
function withOwnFoldersHidden(own: readonly string[], mounts: readonly SandboxMount[]): ReadyMount[] {
  const all: ReadyMount[] = [...mounts];
  for (const folder of own) {
    const last = all.findLastIndex(({ path }) => isWithin(path, folder));
    if (last >= 0 && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
      all.splice(last + 1, 0, { path: folder, access: "none" });
  }
  return all;
}

/** Folders that the sandbox provides itself, and the host's root folders. */
const RESERVED = ["/", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/tmp", "/usr", "/var"];

/** With a slash at its end, a path would not be found among the reserved folders, and a link would be taken for its target. */
function withoutEndSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}

function checkMount(path: string): void {
  const reason = mountProblem(path);
  if (reason !== undefined)
    throw errors.SANDBOX_JOB({ reason: `${JSON.stringify(path)} cannot be mounted: ${reason}` });
}

function mountProblem(path: string): string | undefined {
  if (!isAbsolute(path) || join(path) !== path || path.includes("\0")) return "it is not a plain absolute path";
  if (RESERVED.includes(path) || path.split(sep)[1] === "proc") return "it contains too much of the system";
  try {
    return lstatSync(path).isSymbolicLink() ? "it is a link; use the path of its target" : undefined;
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? "it does not exist" : `it cannot be examined (${codeOf(thrown)})`;
  }
}

function checkedEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(env))
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes("\0"))
      throw errors.SANDBOX_JOB({ reason: `${JSON.stringify(name)} is not a valid environment variable` });
  return env;
}
