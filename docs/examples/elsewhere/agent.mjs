/**
 * The other end: carries out requests for files and processes, one line of JSON each. Copy it to where the tools should work; it
 * needs Node.js and nothing else. It ends, with all that it started, when its input ends.
 */
import { spawn } from "node:child_process";
import { lstat, mkdir, open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";

const running = new Map();

const actions = {
  realpath: ({ path }) => real(path),
  async stat({ path }) {
    try {
      return infoOf(await stat(path));
    } catch (thrown) {
      if (thrown.code === "ENOENT" || thrown.code === "ENOTDIR") return undefined;
      throw thrown;
    }
  },
  async read({ path, maxBytes = Infinity }) {
    await requireReal(path);
    const info = infoOf(await stat(path));
    if (info.kind !== "file") throw failure("EINVAL", path);
    const file = await open(path);
    try {
      const bytes = await file.readFile();
      if (bytes.length > maxBytes) throw failure("EFBIG", path);
      return { ...info, base64: bytes.toString("base64") };
    } finally {
      await file.close();
    }
  },
  async write({ path, base64, create }) {
    await requireReal(path);
    const before = await lstat(path).catch(() => undefined);
    if (!before && !create) throw failure("ENOENT", path);
    if (create) await mkdir(dirname(path), { recursive: true });
    const beside = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
    const file = await open(beside, "wx", before ? before.mode : 0o666);
    try {
      await file.writeFile(Buffer.from(base64, "base64"));
      if (before) await file.chmod(before.mode & 0o7777);
      await rename(beside, path);
    } catch (thrown) {
      await rm(beside, { force: true });
      throw thrown;
    } finally {
      await file.close();
    }
  },
  async list({ path }) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  },
  start: ({ id, command, cwd }) =>
    new Promise((resolve, reject) => {
      const options = { cwd, detached: true, stdio: ["ignore", "pipe", "ignore"] };
      const child = spawn("/bin/sh", ["-c", 'exec "$0" -c "$1" 2>&1', "/bin/bash", command], options);
      child.once("error", reject);
      child.once("spawn", () => {
        running.set(child.pid, child);
        child.stdout.on("data", (bytes) => send({ id, output: bytes.toString("base64") }));
        resolve(child.pid);
      });
      child.once("exit", async (exitCode, signal) => {
        running.delete(child.pid);
        const closed = new Promise((settle) => child.stdout.once("close", () => settle(true)));
        const inTime = child.stdout.closed || (await Promise.race([closed, after(100)]));
        child.stdout.destroy();
        send({ id, end: { exitCode, signal, leftOpen: !inTime } });
      });
    }),
  async kill({ pid }) {
    signal(pid, "SIGTERM");
    for (let waited = 0; waited < 500 && signal(pid, 0); waited += 20) await after(20);
    signal(pid, "SIGKILL");
  },
  pause: ({ pid }) => void running.get(pid)?.stdout.pause(),
  resume: ({ pid }) => void running.get(pid)?.stdout.resume(),
};

/** Signals a process group; false when it has ended. */
function signal(pid, name) {
  try {
    return process.kill(-pid, name);
  } catch {
    return false;
  }
}

/** The real path of what exists, with the rest appended. */
async function real(path) {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (thrown.code !== "ENOENT" || dirname(path) === path) throw thrown;
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) return real(resolve(dirname(path), target));
    return join(await real(dirname(path)), basename(path));
  }
}

async function requireReal(path) {
  if ((await real(path)) !== path) throw failure("ESTALE", path);
}

function failure(code, path) {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}

function infoOf(stats) {
  return { kind: kindOf(stats), size: stats.isFile() ? stats.size : 0, id: `${stats.dev}:${stats.ino}` };
}

function kindOf(of) {
  if (of.isFile()) return "file";
  if (of.isDirectory()) return "folder";
  if (of.isSymbolicLink()) return "link";
  if (of.isFIFO()) return "fifo";
  return of.isSocket() ? "socket" : "device";
}

function after(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const request = JSON.parse(line);
    try {
      send({ id: request.id, answer: await actions[request.do](request) });
    } catch ({ code = "UNEXPECTED", message, path }) {
      send({ id: request.id, error: { code, message, path } });
    }
  })
  .on("close", () => {
    for (const pid of running.keys()) signal(pid, "SIGKILL");
    process.exit();
  });
