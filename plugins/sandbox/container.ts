import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "@scorel/kernel";
import { isRunning, ownIdentity, type ProcessIdentity } from "@scorel/kit/process/identity";
import { errors } from "./errors.ts";
import type { Executor, ExecutorCommand, ReadyJob, ReadyMount } from "./executor.ts";
import { ask, findProgram, firstLine } from "./programs.ts";

type Engine = "docker" | "podman";

const PROBE_MS = 5_000;
const ENDING_MS = 20_000;
/** The exit code of the client for its own errors. */
const ENGINE_FAILED = 125;
/** The label with the owner process, so that containers of a killed process can be found and removed. */
const OWNER = "scorel.owner";

export interface ContainerSettings {
  image: string | undefined;
  /** Returns the path of a private folder. */
  folder: () => string;
}

/** The executor that runs each program in a container of an existing image. */
export function createContainers(engine: Engine, { image, folder }: ContainerSettings): Executor {
  const file = findProgram(engine);
  let rootless = false;
  return {
    name: engine,
    async problem() {
      if (file === undefined) return `${engine} is not on the PATH`;
      if (image === undefined) return "[sandbox] image is not set";
      const info = await ask(file, infoOf(engine), PROBE_MS);
      if (info.code !== 0) return firstLine(info.stderr) || "it did not answer in time";
      rootless = info.stdout.includes("rootless");
      const found = await ask(file, ["image", "inspect", "--format", "{{.Id}}", image], PROBE_MS);
      if (found.code !== 0) return `the image ${image} does not exist; build or pull it first`;
      await sweep(engine, file);
      const own = { engine, file, image, folder: folder(), rootless };
      return (await trial(command(trialJob, own))) || undefined;
    },
    command: async (job) =>
      command(job, { engine, file: file ?? engine, image: image ?? "", folder: folder(), rootless }),
  };
}

/** Engines report missing permissions late, so a program is run before an engine counts as working. */
const trialJob: ReadyJob = {
  argv: ["true"],
  cwd: "/",
  env: {},
  mounts: [],
  network: false,
  limits: { seconds: 60, cpuSeconds: 60, memoryBytes: 256 * 1024 * 1024, processes: 64, fileBytes: 1024 * 1024 },
  interactive: false,
};

async function trial({ file, args, env, release }: ExecutorCommand): Promise<string> {
  const { code, stderr } = await ask(file, args, ENDING_MS, env);
  await release();
  return code === 0 ? "" : firstLine(stderr) || "it did not run a program in time";
}

const infoOf = (engine: Engine): string[] => [
  "info",
  "--format",
  engine === "docker" ? "{{.SecurityOptions}}" : "{{if .Host.Security.Rootless}}rootless{{else}}root{{end}}",
];

interface Ground {
  engine: Engine;
  file: string;
  image: string;
  folder: string;
  rootless: boolean;
}

/**
 * Builds the command. The environment is passed in a file, so that neither the process list nor the engine's client sees it.
 */
function command(job: ReadyJob, { engine, file, image, folder, rootless }: Ground): ExecutorCommand {
  // Checked first: without a command, nobody would remove the folder.
  const variables = environmentFile(job.env, engine);
  const own = mkdtempSync(join(folder, "sandbox-"));
  const [environment, name] = [join(own, "environment"), `scorel-${newId()}`];
  writeFileSync(environment, variables, { mode: 0o600 });
  const args = [
    ...["run", "--name", name, "--label", `${OWNER}=${labelOf(ownIdentity())}`, "--pull=never"],
    ...(job.interactive ? ["--interactive"] : []),
    ...["--network", job.network ? "bridge" : "none", "--hostname", "sandbox"],
    ...confinement(job, engine),
    ...userOf(engine, rootless),
    ...job.mounts.flatMap(mount),
    ...["--workdir", job.cwd, "--env-file", environment, "--entrypoint", job.argv[0], image, ...job.argv.slice(1)],
  ];
  const inspect = async (format: string) => (await ask(file, ["inspect", "--format", format, name], PROBE_MS)).stdout;
  const remove = async () => void (await ask(file, ["rm", "--force", "--volumes", name], ENDING_MS));
  return {
    executor: engine,
    file,
    args,
    env: clientEnv(),
    watched: false,
    failure: async (exitCode, stderr) =>
      exitCode === ENGINE_FAILED ? firstLine(stderr) || "no reason given" : undefined,
    outOfMemory: async () => (await inspect("{{.State.OOMKilled}}")).trim() === "true",
    kill: async () => void (await ask(file, ["kill", name], ENDING_MS)),
    async release() {
      await remove();
      rmSync(own, { recursive: true, force: true });
    },
  };
}

function confinement({ limits }: ReadyJob, engine: Engine): string[] {
  const { memoryBytes, processes, cpuSeconds, fileBytes } = limits;
  const ulimits = { cpu: `${cpuSeconds}:${cpuSeconds + 1}`, fsize: fileBytes, core: 0 };
  return [
    ...["--read-only", "--tmpfs", `/tmp:rw,exec,nosuid,nodev,size=${memoryBytes}`],
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...["--memory", String(memoryBytes), "--memory-swap", String(memoryBytes), "--pids-limit", String(processes)],
    ...Object.entries({ ...ulimits, ...(engine === "podman" && PODMAN_LIMITS) }).flatMap(([name, value]) => [
      "--ulimit",
      `${name}=${value}`,
    ]),
  ];
}

/** Limits for podman, which would otherwise ask for more than it is allowed, and fail. */
const PODMAN_LIMITS = { nofile: "4096:4096", nproc: "4096:4096" };

/** Makes written files belong to the current user. In a rootless engine, the container's root is that user. */
function userOf(engine: Engine, rootless: boolean): string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (!rootless) return ["--user", `${uid}:${gid}`];
  return engine === "podman" ? ["--userns", "keep-id"] : [];
}

/** The engine parses this option as CSV, so quotes protect commas in the path. */
function mount({ path, access }: ReadyMount): string[] {
  const quoted = (key: string) => `"${key}=${path.replaceAll('"', '""')}"`;
  if (access === "none") return ["--mount", `type=tmpfs,${quoted("dst")},tmpfs-size=65536,tmpfs-mode=0555`];
  return ["--mount", `type=bind,${quoted("src")},${quoted("dst")}${access === "read" ? ",readonly" : ""}`];
}

function environmentFile(env: Readonly<Record<string, string>>, engine: Engine): string {
  return Object.entries(env)
    .map(([name, value]) => {
      if (/[\r\n]/.test(name + value))
        throw errors.SANDBOX_JOB({ reason: `${engine} cannot pass the variable ${name}, which contains a line break` });
      return `${name}=${value}\n`;
    })
    .join("");
}

/** The variables that the client needs to find its engine. */
function clientEnv(): Record<string, string> {
  const wanted = /^(PATH|HOME|USER|TMPDIR|XDG_RUNTIME_DIR|XDG_CONFIG_HOME|DOCKER_.*|CONTAINER.*|STORAGE_.*)$/;
  const given = Object.entries(process.env).filter(([name, value]) => wanted.test(name) && value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}

/** The label of a container that a process has started. */
export function labelOf(owner: ProcessIdentity): string {
  return Buffer.from(JSON.stringify(owner)).toString("base64url");
}

/** The process that a label names; undefined if it names none. */
function ownerIn(label: string): ProcessIdentity | undefined {
  try {
    const owner = JSON.parse(Buffer.from(label, "base64url").toString()) as Partial<ProcessIdentity>;
    return typeof owner.pid === "number" ? (owner as ProcessIdentity) : undefined;
  } catch {
    return undefined;
  }
}

/** Prints the id and the owner of each container. The two engines give different data to these templates. */
const OWNERS: Record<Engine, string> = {
  docker: `{{.ID}} {{.Label "${OWNER}"}}`,
  podman: `{{.ID}} {{index .Labels "${OWNER}"}}`,
};

/** Removes containers of processes that were killed. Those of processes in other containers, which use the same engine, stay. */
async function sweep(engine: Engine, file: string): Promise<void> {
  const owned = ["ps", "--all", "--filter", `label=${OWNER}`, "--format", OWNERS[engine]];
  const { stdout } = await ask(file, owned, PROBE_MS);
  const orphans = stdout.split("\n").flatMap((line) => {
    const [id = "", label = ""] = line.trim().split(" ");
    const process = ownerIn(label);
    return process && !isRunning(process) ? [id] : [];
  });
  if (orphans.length > 0) await ask(file, ["rm", "--force", "--volumes", ...orphans], ENDING_MS);
}
