import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { SandboxMount } from "./contract.ts";
import type { Executor, ExecutorCommand, ReadyJob } from "./executor.ts";
import { limited, limiter } from "./limits.ts";
import { ask, findProgram, firstLine } from "./programs.ts";

/** Of the system's own settings only what programs cannot do without; nothing of it is secret. */
const SETTINGS = [
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/fonts",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/magic",
  "/etc/mime.types",
  "/etc/nsswitch.conf",
  "/etc/protocols",
  "/etc/services",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/timezone",
];
const NETWORK_SETTINGS = ["/etc/hosts", "/etc/resolv.conf"];
const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const PROBE_MS = 5_000;
const SHM_BYTES = 64 * 1024 * 1024;

/** Linux namespaces without privileges. `folder` is private, and holds what one run needs beside its mounts. */
export function createBubblewrap(folder: () => string): Executor {
  const file = findProgram("bwrap");
  return {
    name: "bubblewrap",
    async problem() {
      if (process.platform !== "linux") return "it exists on Linux only";
      if (file === undefined) return "bwrap is not on the PATH";
      if (limiter() === undefined) return "prlimit (util-linux) is not in /usr/bin";
      const { code, stderr } = await ask(file, [...namespaces(false), ...system(false, SHM_BYTES), "true"], PROBE_MS);
      return code === 0 ? undefined : firstLine(stderr) || "it did not run a program in time";
    },
    command: async (job) => command(job, file ?? "bwrap", folder()),
  };
}

/**
 * All options come from a file, so that no value of the environment stands in the list of processes, and none of it (a
 * library to load first, say) reaches bwrap itself, which is outside.
 */
function command(job: ReadyJob, file: string, folder: string): ExecutorCommand {
  const own = mkdtempSync(join(folder, "sandbox-"));
  const [options, status] = [join(own, "options"), join(own, "status")];
  const names = namesInside(own, job.network);
  const args = [
    ...namespaces(job.network),
    ...["--json-status-fd", "8"],
    ...system(job.network, job.limits.memoryBytes),
    ...names,
    ...job.mounts.flatMap(mount),
    // The root is memory without a limit as long as it can be written.
    ...["--remount-ro", "/", "--chdir", job.cwd, "--clearenv"],
    ...Object.entries(job.env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
  writeFileSync(options, args.map((arg) => `${arg}\0`).join(""), { mode: 0o600 });
  const script = 'bwrap=$1; exec 9<"$2" 8>"$3"; shift 3; exec "$bwrap" --args 9 -- "$@"';
  return {
    executor: "bubblewrap",
    file: "/bin/sh",
    args: ["-c", script, "sh", file, options, status, ...limited(job.argv, job.limits, true)],
    env: { PATH: "/usr/bin:/bin" },
    watched: true,
    failure: async (_exitCode, stderr) =>
      textOf(status).includes('"exit-code"') ? undefined : firstLine(stderr) || "no reason given",
    release: async () => rmSync(own, { recursive: true, force: true }),
  };
}

function namespaces(network: boolean): string[] {
  return [
    ...["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"],
  ];
}

/** What of /proc speaks to the kernel itself: of this, uid 0 may write much without any privilege. */
const KERNEL_SETTINGS = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];

/** The system read-only; everything else of the host is simply not there. */
function system(network: boolean, tmpBytes: number): string[] {
  const settings = network ? [...SETTINGS, ...NETWORK_SETTINGS] : SETTINGS;
  return [
    ...["--ro-bind", "/usr", "/usr"],
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...settings.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", ...KERNEL_SETTINGS.flatMap((path) => ["--ro-bind-try", path, path])],
    ...["--dev", "/dev", "--size", String(SHM_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--size", String(tmpBytes), "--tmpfs", "/tmp"],
    ...["--dir", "/var", "--symlink", "../tmp", "/var/tmp"],
  ];
}

/** On most systems these are links into /usr. */
function systemFolder(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  return stats.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/** Whose names the host's users and neighbours have is nobody's business inside, where a server of one's own is found by name. */
function namesInside(own: string, network: boolean): string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const [name, group] = [uid === 0 ? "root" : "user", gid === 0 ? "root" : "user"];
  writeFileSync(join(own, "passwd"), `${name}:x:${uid}:${gid}::/tmp:/bin/sh\n`);
  writeFileSync(join(own, "group"), `${group}:x:${gid}:\n`);
  writeFileSync(join(own, "hosts"), "127.0.0.1 localhost sandbox\n::1 localhost\n");
  return ["passwd", "group", ...(network ? [] : ["hosts"])].flatMap((file) => [
    "--ro-bind",
    join(own, file),
    `/etc/${file}`,
  ]);
}

function mount({ path, access }: SandboxMount): string[] {
  return [access === "write" ? "--bind" : "--ro-bind", path, path];
}

/** What bwrap says of the program it started; nothing when it never got so far. */
function textOf(status: string): string {
  try {
    return readFileSync(status, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "";
    throw thrown;
  }
}
