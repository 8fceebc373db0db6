import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ProcessRequest } from "@scorel/local/contract";
import { expect, it } from "vitest";
import { ledgerFolder } from "../../../plugins/kit/process/ledger.ts";
import { LocalProcesses } from "../../../plugins/local/processes/processes.ts";
import { ReadyShell } from "../../../plugins/local/processes/ready-shell.ts";
import { describeWith, itWith } from "../../optional.ts";
import { isAlive } from "../../processes.ts";
import { workshop } from "../coding/workshop.ts";

const env = { PATH: process.env.PATH ?? "", HOME: "/", OWN: "a b" };

type Wanted = Partial<ProcessRequest> & { ready?: ReadyShell };

/** Runs a command; returns its output, how it ended, and the pid of its shell. */
async function run(command: string, cwd: string, { ready, ...more }: Wanted = {}) {
  const processes = new LocalProcesses(ledgerFolder(cwd), "test", fail, ready);
  let output = "";
  const decoder = new TextDecoder();
  const onOutput = (bytes: Uint8Array) => {
    output += decoder.decode(bytes, { stream: true });
  };
  const started = await processes.start({ command, cwd, env, onOutput, ...more });
  const { exitCode, signal } = await started.ended;
  await processes.close();
  return { output, exitCode, signal, pid: started.pid };
}

function fail(thrown: unknown): never {
  throw thrown;
}

/** A waiting shell and its pid. */
async function waiting(cwd: string): Promise<{ ready: ReadyShell; pid: number }> {
  const ready = new ReadyShell();
  await ready.begin({ cwd, env });
  return { ready, pid: ready.pid as number };
}

describeWith("bash", "a shell that was started in advance", () => {
  it.each([
    [
      "its surroundings",
      "env | grep -v '^_=\\|SCOREL_COMMAND_ID' | sort; pwd; umask; ulimit -n; echo $0 $- $SHLVL $#; trap",
    ],
    ["its open files", "ls /proc/self/fd | wc -l; cat; read x <&3 2>/dev/null; echo $?"],
    ["the order of its outputs", "echo one; echo two >&2; echo three; nosuchprogram"],
    ["lines, quotes and what stands at the end", "a='x  y'\ncat <<'E'\n$a \\ \"q\"\nE\nprintf '%s' \"$a\"\n\n"],
    ["letters of other scripts", "printf '%s' 'Grüße 漢字 🙂'"],
    ["an exit code", "exit 7"],
    ["a signal", "kill -TERM $$; sleep 5"],
    ["a mistake in its line", "echo a\nif then"],
    ["jobs that it leaves", "sleep 30 & echo left"],
  ])("runs a command as a new one does: %s", async (_what, command) => {
    await using w = await workshop();
    const fresh = await run(command, w.dir);
    const { ready, pid } = await waiting(w.dir);
    const taken = await run(command, w.dir, { ready });
    expect(taken.pid).toBe(pid);
    const told = ({ output, exitCode, signal }: typeof fresh) => ({ output, exitCode, signal });
    expect(told(taken)).toEqual(told(fresh));
    ready.close();
  });

  it("is not used if its conditions have changed, and ends", async () => {
    await using w = await workshop();
    const other = join(w.dir, "other");
    mkdirSync(other);
    const cases: [string, string, Wanted][] = [
      ["pwd", other, {}],
      ["echo $OWN", w.dir, { env: { ...env, OWN: "c" } }],
      [`echo ${"x".repeat(5_000)}`, w.dir, {}],
    ];
    for (const [command, cwd, more] of cases) {
      const { ready, pid } = await waiting(w.dir);
      const { output, ...ran } = await run(command, cwd, { ready, ...more });
      expect([ran.exitCode, ran.pid === pid]).toEqual([0, false]);
      expect(output).toBe((await run(command, cwd, more)).output);
      ready.close();
      await gone(pid);
    }
  });

  it("is not used if its folder was replaced", async () => {
    await using w = await workshop();
    const folder = join(w.dir, "folder");
    mkdirSync(folder);
    const { ready, pid } = await waiting(folder);
    renameSync(folder, join(w.dir, "aside"));
    mkdirSync(folder);
    const ran = await run("pwd", folder, { ready });
    expect([ran.output, ran.pid === pid]).toEqual([`${folder}\n`, false]);
    ready.close();
    await gone(pid);
  });

  it("is neither used nor started again if a command has put a file in the place of its folder", async () => {
    await using w = await workshop();
    const folder = join(w.dir, "a", "b");
    mkdirSync(folder, { recursive: true });
    const { ready, pid } = await waiting(folder);
    rmSync(join(w.dir, "a"), { recursive: true });
    writeFileSync(join(w.dir, "a"), "");
    expect(ready.take("pwd", { cwd: folder, env })).toBeUndefined();
    await gone(pid);
    await ready.begin({ cwd: folder, env });
    expect(ready.pid).toBeUndefined();
  });

  it.each([
    ["its variables are too long for the system", { HERE: "x".repeat(200_000) }, "."],
    ["its folder cannot be looked at", {}, "no\0path"],
  ])("is not started, and no error is thrown, if %s", async (_why, variables, folder) => {
    const ready = new ReadyShell();
    await ready.begin({ cwd: folder, env: { ...env, ...variables } });
    expect([ready.pid, ready.take("pwd", { cwd: folder, env })]).toEqual([undefined, undefined]);
    ready.close();
  });

  itWith("linux", "waits after a command of a session, and ends with the session", async () => {
    const w = await workshop();
    await w.say("Bash", { command: "true" });
    let pid: number | undefined;
    while (pid === undefined) {
      await setImmediate();
      pid = waitingHere();
    }
    await w[Symbol.asyncDispose]();
    await gone(pid);
  });

  it("ends with its owner, and is replaced if it was killed", async () => {
    await using w = await workshop();
    const { ready, pid } = await waiting(w.dir);
    process.kill(pid, "SIGKILL");
    while (ready.pid !== undefined) await setImmediate();
    expect(await run("echo ran", w.dir, { ready })).toMatchObject({ output: "ran\n", exitCode: 0 });
    const again = await waiting(w.dir);
    again.ready.close();
    await gone(again.pid);
  });
});

/** The pid of a child of this process that waits for a command, if any. */
function waitingHere(): number | undefined {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
  return children.map(Number).find((pid) => pid > 0 && commandLineOf(pid).includes("command <&3"));
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // It has ended.
  }
}

/** Resolves when a process has ended. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await setImmediate();
}
