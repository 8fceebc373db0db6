import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { vi } from "vitest";

export type EngineName = "docker" | "podman";

/** A private container engine with one image, which this process's environment selects until it is disposed. */
export interface Engine extends AsyncDisposable {
  image: string;
}

export const IMAGE = "scorel-test:local";

/** The programs in the image: those that scripts of skills and escape attempts use. */
const PROGRAMS = [
  ...["bash", "sh", "cat", "chmod", "chroot", "date", "echo", "env", "false", "grep", "head", "hostname", "id", "ln"],
  ...["ls", "mkdir", "mknod", "mount", "mv", "perl", "pwd", "python3", "rm", "sed", "seq", "setsid", "sleep", "sort"],
  ...["tail", "touch", "tr", "true", "umount", "unshare", "wc"],
];

/** Why an engine cannot be started here; undefined when it can. */
export function engineProblem(name: EngineName): string | undefined {
  if (process.platform !== "linux") return "containers are tested on Linux only";
  if (process.getuid?.() !== 0) return "a private engine needs root";
  const missing = (name === "docker" ? ["docker", "dockerd"] : ["podman", "runc"]).filter((each) => !pathOf(each));
  return missing.length > 0 ? `${missing.join(" and ")} not on the PATH` : undefined;
}

/** Starts a private engine with an image made of this machine's own files; nothing is downloaded. */
export async function startEngine(name: EngineName): Promise<Engine> {
  const dir = fs.mkdtempSync(join(tmpdir(), "scorel-engine-"));
  const stop = name === "docker" ? await startDocker(dir) : configurePodman(dir);
  makeImage(name, IMAGE, dir, (rootfs) => makeRootfs(rootfs));
  return {
    image: IMAGE,
    async [Symbol.asyncDispose]() {
      await stop();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Makes an image with Node.js and npm, and with a user `node`, like the public images named `node`. */
export function makeNodeImage(name: EngineName, tag: string): void {
  const dir = fs.mkdtempSync(join(tmpdir(), "scorel-image-"));
  try {
    makeImage(name, tag, dir, (rootfs) => {
      makeRootfs(rootfs, ["sh", "env", "chown", "mkdir", "rm"]);
      fs.appendFileSync(join(rootfs, "etc/passwd"), "node:x:1000:1000::/home/node:/bin/sh\n");
      fs.appendFileSync(join(rootfs, "etc/group"), "node:x:1000:\n");
      fs.mkdirSync(join(rootfs, "home/node"), { recursive: true });
      fs.chownSync(join(rootfs, "home/node"), 1000, 1000);
      addProgram(rootfs, "node", process.execPath);
      const npm = dirname(dirname(fs.realpathSync(systemPathOf("npm"))));
      fs.cpSync(npm, join(rootfs, "usr/lib/node_modules/npm"), { recursive: true, dereference: true });
      fs.symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(rootfs, "usr/bin/npm"));
    });
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

function makeImage(name: EngineName, tag: string, dir: string, make: (rootfs: string) => void): void {
  const rootfs = join(dir, "rootfs");
  make(rootfs);
  execFileSync("/bin/sh", ["-c", `tar -C "$0" -c . | ${name} import - ${tag}`, rootfs], { stdio: "pipe" });
}

async function startDocker(dir: string): Promise<() => Promise<void>> {
  const socket = `unix://${dir}/socket`;
  const folders = ["--data-root", `${dir}/data`, "--exec-root", `${dir}/exec`, "--pidfile", `${dir}/pid`];
  const network = ["--bridge", "none", "--iptables=false", "--ip-forward=false", "--ip-masq=false"];
  const log = fs.openSync(join(dir, "log"), "w");
  const engine = spawn("dockerd", ["-H", socket, ...folders, ...network], { stdio: ["ignore", log, log] });
  fs.closeSync(log);
  const ended = new Promise((resolve) => engine.once("exit", resolve));
  const restore = setEnv({ DOCKER_HOST: socket });
  try {
    await vi.waitFor(() => execFileSync("docker", ["version"], { stdio: "pipe" }), { timeout: 60_000, interval: 200 });
  } catch (thrown) {
    engine.kill("SIGKILL");
    throw new Error(`dockerd did not start:\n${fs.readFileSync(join(dir, "log"), "utf8").slice(-2_000)}`, {
      cause: thrown,
    });
  }
  return async () => {
    engine.kill("SIGTERM");
    await ended;
    restore();
  };
}

/** It has no daemon; its configuration files set where it stores data. */
function configurePodman(dir: string): () => Promise<void> {
  const limits = '["nofile=4096:4096", "nproc=4096:4096"]';
  fs.writeFileSync(
    join(dir, "containers.conf"),
    `[containers]\ndefault_ulimits = ${limits}\n[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "runc"\ntmp_dir = "${dir}/libpod"\n`,
  );
  fs.writeFileSync(
    join(dir, "storage.conf"),
    `[storage]\ndriver = "overlay"\ngraphroot = "${dir}/data"\nrunroot = "${dir}/run"\n`,
  );
  const restore = setEnv({
    CONTAINERS_CONF: join(dir, "containers.conf"),
    CONTAINERS_STORAGE_CONF: join(dir, "storage.conf"),
  });
  return async () => {
    execFileSync("podman", ["rmi", "--all", "--force"], { stdio: "pipe" });
    restore();
    // Its storage stays mounted as long as the machine runs.
    if (fs.readFileSync("/proc/mounts", "utf8").includes(` ${dir}/data/overlay `))
      execFileSync("umount", [`${dir}/data/overlay`], { stdio: "pipe" });
  };
}

function makeRootfs(root: string, programs: readonly string[] = PROGRAMS): void {
  for (const folder of ["usr/bin", "usr/lib", "usr/lib64", "etc", "tmp", "proc", "dev", "sys", "var"])
    fs.mkdirSync(join(root, folder), { recursive: true });
  for (const name of ["bin", "lib", "lib64"]) fs.symlinkSync(`usr/${name}`, join(root, name));
  fs.symlinkSync("usr/bin", join(root, "sbin"));
  fs.writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/tmp:/bin/sh\n");
  fs.writeFileSync(join(root, "etc/group"), "root:x:0:\n");
  for (const name of programs) addProgram(root, name, systemPathOf(name));
  if (programs !== PROGRAMS) return;
  const perl = execFileSync("/usr/bin/perl", ["-e", 'print "@INC"'], { encoding: "utf8" }).split(" ");
  for (const folder of [...perl.filter((path) => path.includes("perl-base")), ...pythonFolders()])
    if (fs.existsSync(folder)) fs.cpSync(folder, join(root, folder), { recursive: true, dereference: true });
}

/** Copies a program with its libraries. */
function addProgram(root: string, name: string, path: string): void {
  copy(path, join(root, "usr/bin", name));
  for (const library of librariesOf(path)) copy(library, join(root, library.replace(/^\/(?=lib)/, "/usr/")));
}

/** Python's standard library, without parts for its tests and for windows. */
function pythonFolders(): string[] {
  const script = "import sysconfig; print(sysconfig.get_path('stdlib'))";
  return [execFileSync("/usr/bin/python3", ["-c", script], { encoding: "utf8" }).trim()];
}

function copy(from: string, to: string): void {
  fs.mkdirSync(dirname(to), { recursive: true });
  fs.copyFileSync(fs.realpathSync(from), to);
  fs.chmodSync(to, 0o755);
}

/** The libraries that a program is linked with, by the paths at which it searches them. */
function librariesOf(program: string): string[] {
  try {
    const listed = execFileSync("ldd", [fs.realpathSync(program)], { encoding: "utf8", stdio: "pipe" });
    return [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path as string);
  } catch {
    return []; // A script, or linked with nothing.
  }
}

function systemPathOf(name: string): string {
  const found = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    .map((dir) => join(dir, name))
    .find((path) => fs.existsSync(path));
  if (!found) throw new Error(`this machine has no ${name} for the image`);
  return found;
}

function pathOf(name: string): string | undefined {
  return (process.env.PATH ?? "")
    .split(":")
    .map((dir) => join(dir, name))
    .find((path) => fs.existsSync(path));
}

function setEnv(values: Record<string, string>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}
