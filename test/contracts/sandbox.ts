import * as fs from "node:fs";
import net from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createKernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import sandbox from "@scorel/sandbox";
import type {
  ExecutorName,
  SandboxEnd,
  SandboxJob,
  SandboxOptions,
  SandboxRun,
  SandboxService,
} from "@scorel/sandbox/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { testHeader } from "../harness.ts";
import { gate } from "../model-server.ts";
import { processesOf } from "../processes.ts";

export interface ExecutorCase {
  executor: ExecutorName;
  /** Isolates programs from the host; `local` does not. */
  confines: boolean;
  /** Variables that the executor itself adds for a program with this working directory. */
  adds(work: string): Record<string, string>;
  config?: object;
}

/** The output of a program and how it ended, without the duration, which differs between runs. */
type Outcome = Omit<SandboxEnd, "durationMs"> & { stdout: string; stderr: string };

interface Ground extends AsyncDisposable {
  service: SandboxService;
  /** A writable mount, and the program's working directory. */
  work: string;
  /** A read-only mount. */
  shelf: string;
  /** A folder that is not mounted. */
  outside: string;
  run(script: string, job?: Partial<SandboxJob>, options?: SandboxOptions): Promise<Outcome>;
  start(script: string, job?: Partial<SandboxJob>, options?: SandboxOptions): Promise<SandboxRun>;
}

/** The test cases for all executors, and those for executors that isolate programs. */
export function sandboxContract(which: ExecutorCase): void {
  let ground: Ground;
  beforeAll(async () => {
    ground = await startSandbox(which.executor, which.config);
    await ground.run("true");
  }, 60_000);
  afterAll(() => ground[Symbol.asyncDispose]());

  describe("a program", () => {
    it("gets its arguments unchanged, and its exit code is reported", async () => {
      const odd = ["a b", "$(id)", "'\"`", "*", "two\nlines", "-x", ""];
      const argv: SandboxJob["argv"] = ["bash", "-c", 'printf "[%s]" "$@"; echo no >&2; exit 3', "name", ...odd];
      expect(await ground.run("", { argv })).toEqual({
        exitCode: 3,
        stdout: odd.map((each) => `[${each}]`).join(""),
        stderr: "no\n",
      });
    });

    it("gets the declared environment, and nothing of the host's", async () => {
      process.env.SCOREL_TEST_KEY = "a secret of the host";
      const env = { GREETING: "hello world", EMPTY: "", QUOTES: "'\"$HOME" };
      const { stdout } = await ground.run("", { argv: ["env"], env });
      const own = Object.fromEntries(
        stdout
          .trim()
          .split("\n")
          .map((line) => line.split(/=(.*)/s).slice(0, 2)),
      );
      const { SCOREL_COMMAND_ID: _mark, ...given } = own;
      const defaults = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", TMPDIR: "/tmp", LANG: "C.UTF-8" };
      expect(given).toEqual({ ...defaults, ...which.adds(ground.work), ...env });
      const { stdout: everyone } = await ground.run(
        "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'",
      );
      if (which.confines) expect(everyone).not.toContain("a secret of the host");
    });

    it("writes where it is allowed to, and its files belong to the user who runs it", async () => {
      const { exitCode } = await ground.run("pwd > here; mkdir -p out; echo 1 > 'out/a b'");
      expect([exitCode, fs.readFileSync(join(ground.work, "here"), "utf8")]).toEqual([0, `${ground.work}\n`]);
      expect(fs.statSync(join(ground.work, "out/a b")).uid).toBe(process.getuid?.());
    });

    it("is one of many that run at once, without a warning of the host's process", async () => {
      const warnings: Error[] = [];
      const warn = (warning: Error) => void warnings.push(warning);
      process.on("warning", warn);
      const runs = await Promise.all(Array.from({ length: 12 }, () => ground.start("cat", {}, { interactive: true })));
      for (const run of runs) run.closeStdin();
      const ends = await Promise.all(runs.map(async (run) => endOf(await run.ended)));
      process.off("warning", warn);
      expect({ ends, warnings }).toEqual({ ends: Array(12).fill({ exitCode: 0 }), warnings: [] });
    });

    it("can resolve the name localhost", async () => {
      const { stderr } = await ground.run("echo > /dev/tcp/localhost/1");
      expect(stderr).toContain("Connection refused");
    });

    it("can get input while it runs", async () => {
      const said: string[] = [];
      const run = await ground.start(
        'while read -r line; do echo "got $line"; done; echo end',
        {},
        { interactive: true, onOutput: (text) => void said.push(text) },
      );
      await run.write("one\n");
      await eventually(() => expect(said.join("")).toBe("got one\n"));
      await run.write("two\n");
      run.closeStdin();
      expect({ end: endOf(await run.ended), said: said.join("") }).toEqual({
        end: { exitCode: 0 },
        said: "got one\ngot two\nend\n",
      });
      await expect(run.write("three\n")).rejects.toMatchObject({ code: "SANDBOX_STDIN" });
    });

    it("reads and writes bytes unchanged, however slowly they are read", async () => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
      const got: Uint8Array[] = [];
      let [taking, atOnce] = [0, 0];
      const run = await ground.start("cat", undefined, {
        interactive: true,
        async onBytes(chunk) {
          atOnce = Math.max(atOnce, ++taking);
          got.push(chunk);
          await new Promise(setImmediate);
          taking--;
        },
      });
      await run.write(bytes);
      run.closeStdin();
      expect((await run.ended).exitCode).toBe(0);
      expect([Buffer.compare(Buffer.concat(got), bytes), atOnce]).toEqual([0, 1]);
    });

    it("is not sent more input than it reads, and a pending write fails when it ends", async () => {
      const much = "x".repeat(1_000_000);
      const up = gate();
      const run = await ground.start("echo up; sleep 100", {}, { interactive: true, onOutput: () => up.open() });
      await up.promise;
      const written = run.write(much).then(
        () => "taken",
        (thrown) => thrown.code,
      );
      expect(await Promise.race([written, after(100)])).toBe("waits");
      await run.kill();
      expect([endOf(await run.ended), await written]).toEqual([{ ended: "killed" }, "SANDBOX_STDIN"]);
    });

    it("has an empty input when nobody writes to it", async () => {
      expect(await ground.run("cat; echo done")).toEqual({ exitCode: 0, stdout: "done\n", stderr: "" });
    });

    it("has its complete output reported, without cut characters", async () => {
      const { stdout } = await ground.run("for i in $(seq 20000); do printf 'é😀'; done");
      expect(stdout).toBe("é😀".repeat(20_000));
    });

    it("that does not exist is reported", async () => {
      const { exitCode, stderr } = await ground.run("", { argv: ["no-such-program"] });
      expect([exitCode, stderr]).toEqual([127, expect.stringContaining("no-such-program")]);
    });

    it("leaves nothing behind when it ends", async () => {
      const sleep = uniqueSleep();
      const { exitCode, stdout } = await ground.run(`setsid ${sleep} & ${sleep} & disown; echo started`);
      expect([exitCode, stdout, processesOf(sleep)]).toEqual([0, "started\n", []]);
    });
  });

  describe("ending a program", () => {
    const stubborn = (sleep: string) => `trap '' TERM INT HUP; (setsid ${sleep} &) ; ${sleep} & echo up; wait`;

    it("by its time limit ends everything that it started, at once", async () => {
      const sleep = uniqueSleep();
      const began = performance.now();
      const outcome = await ground.run(stubborn(sleep), { limits: { seconds: 2 } });
      expect([outcome, processesOf(sleep)]).toEqual([{ ended: "timeout", stdout: "up\n", stderr: "" }, []]);
      expect(performance.now() - began).toBeLessThan(15_000);
    });

    it("by an abort does, too", async () => {
      const sleep = uniqueSleep();
      const cancel = new AbortController();
      const onOutput = () => cancel.abort();
      const run = await ground.start(stubborn(sleep), {}, { signal: cancel.signal, onOutput });
      expect([endOf(await run.ended), processesOf(sleep)]).toEqual([{ ended: "cancelled" }, []]);
    });

    it("by `kill` does, too, and a second call has no effect", async () => {
      const sleep = uniqueSleep();
      const up = gate();
      const run = await ground.start(stubborn(sleep), {}, { onOutput: () => up.open() });
      await up.promise;
      await Promise.all([run.kill(), run.kill()]);
      await run.kill();
      expect([endOf(await run.ended), processesOf(sleep)]).toEqual([{ ended: "killed" }, []]);
    });
  });

  describe("a resource limit", () => {
    it("on file size stops a file that grows", async () => {
      const { exitCode } = await ground.run("head -c 5000000 /dev/zero > big", { limits: { fileBytes: 1_000_000 } });
      expect(exitCode).not.toBe(0);
      expect(fs.statSync(join(ground.work, "big")).size).toBe(1_000_000);
    });

    it("on memory stops a process that uses more", async () => {
      const hog = "x=a; while :; do x=$x$x; done; echo all of it";
      const { stdout, ended, exitCode } = await ground.run(hog, { limits: { memoryBytes: 100_000_000 } });
      expect([stdout, ended === "memory" || (exitCode ?? 0) > 0]).toEqual(["", true]);
    });

    it("on memory applies to all processes together", async () => {
      const part = "x=$(head -c 30000000 /dev/zero | tr '\\0' a); sleep 3";
      const parts = `pids=; for i in $(seq 10); do (${part}) & pids="$pids $!"; done; for pid in $pids; do wait $pid || exit 1; done`;
      const { stdout, ended, exitCode } = await ground.run(`${parts}; echo all of them`, {
        limits: { memoryBytes: 150_000_000 },
      });
      expect([stdout, ended === "memory" || (exitCode ?? 0) > 0]).toEqual(["", true]);
    });

    it("on processor time stops a busy program", async () => {
      const { exitCode } = await ground.run("while :; do :; done", { limits: { cpuSeconds: 1, seconds: 30 } });
      expect([137, 152]).toContain(exitCode);
    });

    it("on processes stops a program that keeps forking", async () => {
      const sleep = uniqueSleep();
      const bomb = `for i in $(seq 400); do ${sleep} & done; echo all of them; wait`;
      const { stdout, ended, exitCode } = await ground.run(bomb, { limits: { processes: 40, seconds: 5 } });
      // The kernel ends the processes of a namespace one after another, which takes a loaded machine a moment.
      await eventually(() => expect(processesOf(sleep)).toEqual([]));
      expect(ended === "processes" || ended === "timeout" || exitCode !== 0).toBe(true);
      // On a busy machine, the supervisor may notice the number of processes only after all were started.
      if (which.confines && ended !== "processes") expect(stdout).toBe("");
    });
  });

  it("invalid jobs are refused", async () => {
    const told = async (job: Partial<SandboxJob>) =>
      ground.start("true", job).then(
        () => "started",
        (thrown) => thrown.code,
      );
    expect(
      await Promise.all([
        told({ cwd: "/nowhere" }),
        told({ mounts: [{ path: "/", access: "write" }], cwd: "/" }),
        told({ mounts: [{ path: `${ground.work}/../x`, access: "write" }] }),
        told({ mounts: [{ path: `${ground.work}/missing`, access: "read" }] }),
        told({ mounts: [{ path: "/etc/", access: "read" }], cwd: "/etc" }),
        told({ env: { "A=B": "c" } }),
      ]),
    ).toEqual(Array(6).fill("SANDBOX_JOB"));
  });

  it("a job's directory may have a name that begins with two dots", async () => {
    const cwd = join(ground.work, "..odd");
    fs.mkdirSync(cwd);
    expect(await ground.run("pwd", { cwd })).toMatchObject({ stdout: `${cwd}\n`, exitCode: 0 });
  });

  if (which.confines) describe("the host", () => confinement(() => ground));
}

/** Each line tries to access something, and prints ESCAPED on success. */
const escapes: [what: string, script: string][] = [
  ["its home folder", 'ls -A /root /home "$HOST_HOME" 2>/dev/null | grep -x "$MARKER" && echo ESCAPED'],
  ["files that are not mounted", 'cat "$OUTSIDE/secret" && echo ESCAPED'],
  ["its temporary folder", 'ls -A /tmp | grep -x "$MARKER" && echo ESCAPED'],
  ["its passwords", "cat /etc/shadow /etc/gshadow 2>/dev/null | grep : && echo ESCAPED"],
  ["the names of its users", 'grep -v -e "^root:" -e "^user:" /etc/passwd && echo ESCAPED'],
  ["a link that leads out", 'ln -sf "$OUTSIDE/secret" link; cat link && echo ESCAPED'],
  ["what is to be read only: writing", 'echo x >> "$SHELF/book" && echo ESCAPED'],
  ["what is to be read only: its mode", 'chmod 777 "$SHELF/book" && echo ESCAPED'],
  ["what is to be read only: removing", 'rm -f "$SHELF/book" && echo ESCAPED'],
  ["what is to be read only: replacing", 'echo x > new; mv -f new "$SHELF/book" && echo ESCAPED'],
  ["what is to be read only: mounting it again", 'mount -o remount,rw,bind "$SHELF" && echo ESCAPED'],
  ["what is to be read only: mounting over it", 'mount --bind "$PWD" "$SHELF" && echo ESCAPED'],
  ["its programs", "touch /usr/bin/evil && echo ESCAPED"],
  ["its settings", "touch /etc/evil && echo ESCAPED"],
  ["its network", "(echo > /dev/tcp/127.0.0.1/$PORT) 2>/dev/null && echo ESCAPED"],
  ["any other machine", "(echo > /dev/tcp/192.0.2.1/80) 2>/dev/null && echo ESCAPED"],
  [
    "a socket in a folder",
    `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => "$ENV{OUTSIDE}/socket") and print "ESCAPED"'`,
  ],
  [
    "a socket without a folder",
    `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => "\\0$ENV{ABSTRACT}") and print "ESCAPED"'`,
  ],
  [
    "sockets of engines, agents and buses",
    "ls /run/docker.sock /var/run/docker.sock /run/dbus /run/user /run/containerd 2>/dev/null | grep . && echo ESCAPED",
  ],
  ["its processes", "kill -0 $HOST_PID && echo ESCAPED"],
  ["its processes' files", "cat /proc/$HOST_PID/environ | grep . && echo ESCAPED"],
  ["its root, by a process", 'cat /proc/1/root"$OUTSIDE/secret" && echo ESCAPED'],
  ["its root, by leaving a smaller one", "chroot . true && echo ESCAPED"],
  ["a namespace of its own", "unshare --user --map-root-user true && echo ESCAPED"],
  ["a mount of its own", "mkdir -p m; mount -t tmpfs none m && echo ESCAPED"],
  ["devices", "mknod disk b 8 0 && echo ESCAPED"],
  ["memory as a device", "head -c 1 /dev/mem /dev/kmem /dev/sda /dev/vda 2>/dev/null | grep -q . && echo ESCAPED"],
  [
    "the kernel's settings",
    'now=$(cat /proc/sys/kernel/core_pattern); echo "$now" > /proc/sys/kernel/core_pattern && echo ESCAPED',
  ],
  ["the kernel's emergency keys", "echo h > /proc/sysrq-trigger && echo ESCAPED"],
  ["its control groups", "mkdir /sys/fs/cgroup/evil /sys/fs/cgroup/memory/evil 2>/dev/null && echo ESCAPED"],
  ["its name", 'hostname "$(hostname)" && echo ESCAPED'],
  ["its clock", 'date -s "$(date)" && echo ESCAPED'],
  [
    "privileges",
    "(grep -v -e '^Cap...:.0000000000000000$' /proc/self/status | grep -e CapEff -e CapPrm) && echo ESCAPED",
  ],
  ["privileges of programs", "grep -q 'NoNewPrivs:.1' /proc/self/status || echo ESCAPED"],
];

function confinement(ground: () => Ground): void {
  let env: Record<string, string>;
  const servers: net.Server[] = [];
  beforeAll(async () => {
    const { outside, shelf } = ground();
    const abstract = `scorel-test-${process.pid}`;
    const [tcp, file, nameless] = [net.createServer(), net.createServer(), net.createServer()];
    servers.push(tcp, file, nameless);
    await Promise.all([
      new Promise<void>((done) => tcp.listen(0, "127.0.0.1", done)),
      new Promise<void>((done) => file.listen(join(outside, "socket"), done)),
      new Promise<void>((done) => nameless.listen(`\0${abstract}`, done)),
    ]);
    env = {
      OUTSIDE: outside,
      SHELF: shelf,
      ABSTRACT: abstract,
      PORT: String((tcp.address() as net.AddressInfo).port),
      HOST_PID: String(process.pid),
      HOST_HOME: homedir(),
      MARKER: `marker-${process.pid}`,
    };
    for (const folder of [homedir(), tmpdir()]) fs.writeFileSync(join(folder, `marker-${process.pid}`), "");
  });
  afterAll(() => {
    for (const server of servers) server.close();
    for (const folder of [homedir(), tmpdir()]) fs.rmSync(join(folder, `marker-${process.pid}`), { force: true });
  });

  it.each(escapes)("a program cannot reach %s", async (_what, script) => {
    const { stdout, ...end } = await ground().run(`${script} 2>/dev/null; true`, { env });
    expect({ ...end, escaped: stdout.includes("ESCAPED"), stdout }).toEqual({
      exitCode: 0,
      escaped: false,
      stdout,
      stderr: expect.any(String),
    });
    expect(fs.readFileSync(join(ground().shelf, "book"), "utf8")).toBe("a book");
  });
}

/** Not in the temporary folder, since that must be hidden. */
const scratch = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));

/** A session's sandbox with folders of its own. */
async function startSandbox(executor: ExecutorName, config: object = {}): Promise<Ground> {
  fs.mkdirSync(scratch, { recursive: true });
  const base = fs.realpathSync(fs.mkdtempSync(join(scratch, "sandbox, ")));
  const [work, shelf, outside] = [join(base, "work"), join(base, "shelf"), join(base, "outside")];
  for (const folder of [work, shelf, outside]) fs.mkdirSync(folder);
  fs.writeFileSync(join(shelf, "book"), "a book");
  fs.writeFileSync(join(outside, "secret"), "a secret");
  const kernel = await createKernel({
    entries: [{ plugin: sandbox, origin: "test", config: { executor, ...config } }],
    store: createMemoryStore(testHeader),
  });
  const service = kernel.find("sandbox") as SandboxService;
  const start: Ground["start"] = (script, job, options) =>
    service.start(
      {
        argv: ["bash", "-c", script],
        cwd: work,
        mounts: [
          { path: work, access: "write" },
          { path: shelf, access: "read" },
        ],
        ...job,
      },
      options,
    );
  return {
    service,
    work,
    shelf,
    outside,
    start,
    async run(script, job, options) {
      const said = { stdout: "", stderr: "" };
      const onOutput = (text: string, from: "stdout" | "stderr") => {
        said[from] += text;
      };
      const run = await start(script, job, { ...options, onOutput });
      return { ...endOf(await run.ended), ...said };
    },
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      fs.rmSync(base, { recursive: true, force: true });
    },
  };
}

function endOf({ durationMs, ...end }: SandboxEnd): Omit<SandboxEnd, "durationMs"> {
  expect(durationMs).toBeGreaterThan(0);
  return end;
}

let sleeps = 0;
/** A sleep with a number of seconds that no other command has, to find its process. */
const uniqueSleep = () => `sleep 9${process.pid}.${++sleeps}1`;

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, "waits"));
