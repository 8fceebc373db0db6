import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { makeFolder } from "@scorel/kit/files/make-folder";
import type { Executor, ExecutorCommand, ReadyJob, ReadyMount } from "./executor.ts";
import { limited, limiter } from "./limits.ts";
import { ask, findProgram, firstLine } from "./programs.ts";

/** The system settings that programs need; none of them is secret. */
const SETTING_FILES = [
  ...["ld.so.cache", "ld.so.conf", "localtime", "magic", "mime.types", "nsswitch.conf", "protocols", "services"],
  ...["ssl/openssl.cnf", "timezone"],
];
const SETTING_FOLDERS = ["alternatives", "ca-certificates", "fonts", "ld.so.conf.d", "ssl/certs"];
/** Settings that change when the machine changes networks. */
const NETWORK_SETTINGS = ["hosts", "resolv.conf"];
const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const PROBE_MS = 5_000;
const SHM_BYTES = 64 * 1024 * 1024;

/** The executor with unprivileged Linux namespaces. `folder` is private and holds files for each run. */
export function createBubblewrap(folder: () => string): Executor {
  const file = findProgram("bwrap");
  let made: string | undefined;
  const etc = () => (made ??= makeSettings(folder()));
  return {
    name: "bubblewrap",
    async problem() {
      if (process.platform !== "linux") return "it exists on Linux only";
      if (file === undefined) return "bwrap is not on the PATH";
      if (limiter() === undefined) return "prlimit (util-linux) is not in /usr/bin";
      const trial = [...namespaces(false), ...system(etc(), false, SHM_BYTES), "true"];
      const { code, stderr } = await ask(file, trial, PROBE_MS);
      return code === 0 ? undefined : firstLine(stderr) || "it did not run a program in time";
    },
    command: async (job) => command(job, file ?? "bwrap", folder(), etc()),
  };
}

/**
 * Builds the command. Options are passed in a file, so that environment values are neither visible in the process list nor
 * effective in bwrap itself, which runs outside of the sandbox (LD_PRELOAD, for example).
 */
function command(job: ReadyJob, file: string, folder: string, etc: string): ExecutorCommand {
  const own = mkdtempSync(join(folder, "sandbox-"));
  const [options, status] = [join(own, "options"), join(own, "status")];
  const args = [
    ...namespaces(job.network),
    ...["--json-status-fd", "4"],
    ...system(etc, job.network, job.limits.memoryBytes),
    ...job.mounts.flatMap(mount),
    // A writable root would be unlimited memory.
    ...job.mounts.flatMap(({ path, access }) => (access === "none" ? ["--remount-ro", path] : [])),
    ...["--remount-ro", "/", "--chdir", job.cwd, "--clearenv"],
    ...Object.entries(job.env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
  writeFileSync(options, args.map((arg) => `${arg}\0`).join(""), { mode: 0o600 });
  const program = limited(job.argv, job.limits, true);
  const script = 'bwrap=$1; exec 3<"$2" 4>"$3"; shift 3; exec "$bwrap" --args 3 -- "$@"';
  return {
    executor: "bubblewrap",
    file: "/bin/sh",
    args: ["-c", script, "sh", file, options, status, ...program],
    direct: {
      file,
      args: ["--args", "3", "--", ...program],
      files: [
        { path: options, flags: "r" },
        { path: status, flags: "w" },
      ],
    },
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

/** Parts of /proc that configure the kernel, which uid 0 could write without further privileges. */
const KERNEL_SETTINGS = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];

/** Mounts the system read-only; everything else of the host is absent. */
function system(etc: string, network: boolean, tmpBytes: number): string[] {
  const settings = network ? [...SETTING_FOLDERS, ...NETWORK_SETTINGS] : SETTING_FOLDERS;
  return [
    ...["--ro-bind", "/usr", "/usr"],
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...["--ro-bind", etc, "/etc"],
    ...settings.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...["--proc", "/proc", ...KERNEL_SETTINGS.flatMap((path) => ["--ro-bind-try", path, path])],
    ...["--dev", "/dev", "--size", String(SHM_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--size", String(tmpBytes), "--tmpfs", "/tmp"],
    ...["--dir", "/var", "--symlink", "../tmp", "/var/tmp"],
  ];
}

/** The options for one of the system's folders, which on most systems is a link into /usr. */
function systemFolder(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  return stats.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/**
 * Creates an /etc with copies of settings once, because each mounted file makes every start slower. Localhost can be
 * resolved; the host's users and the names in its hosts file are not revealed.
 */
function makeSettings(folder: string): string {
  const etc = mkdtempSync(join(folder, "etc-"));
  chmodSync(etc, 0o755);
  for (const name of SETTING_FOLDERS) makeFolder(join(etc, name), 0o777);
  for (const name of NETWORK_SETTINGS) writeFileSync(join(etc, name), "");
  writeFileSync(join(etc, "hosts"), "127.0.0.1 localhost sandbox\n::1 localhost\n");
  for (const name of SETTING_FILES) copySetting(join("/etc", name), join(etc, name));
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const [name, group] = [uid === 0 ? "root" : "user", gid === 0 ? "root" : "user"];
  writeFileSync(join(etc, "passwd"), `${name}:x:${uid}:${gid}::/tmp:/bin/sh\n`);
  writeFileSync(join(etc, "group"), `${group}:x:${gid}:\n`);
  return etc;
}

/** Copies a file, if the system has it. */
function copySetting(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (thrown) {
    if (!["ENOENT", "EACCES", "EISDIR"].includes(codeOf(thrown))) throw thrown;
  }
}

function mount({ path, access }: ReadyMount): string[] {
  if (access === "none") return ["--tmpfs", path];
  return [access === "write" ? "--bind" : "--ro-bind", path, path];
}

/** What bwrap reported about the program it started; "" if it did not get that far. */
function textOf(status: string): string {
  try {
    return readFileSync(status, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "";
    throw thrown;
  }
}
