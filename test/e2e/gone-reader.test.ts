import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { itWith } from "../optional.ts";
import { isAlive, startedProcesses } from "../processes.ts";
import { scratch } from "./scorel.ts";

const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
const started = startedProcesses();

itWith("linux", "a command that cannot write its output to a full disk says so, and fails", async () => {
  using s = scratch();
  const full = openSync("/dev/full", "w");
  for (const command of [["preset", "list"], ["config", "show"], ["doctor", "--offline"], ["--help"]])
    expect(await s.run(command, { stdout: full })).toMatchObject({
      code: 1,
      stderr: "The output could not be written: ENOSPC: no space left on device, write\n",
    });
  closeSync(full);
});

it("a command whose stderr is closed ends normally", async () => {
  using s = scratch();
  const shell = 'node "$0" -p hi 2>&1 >/dev/null | true; exit $PIPESTATUS';
  const child = spawn("bash", ["-c", shell, BIN], {
    cwd: s.project,
    env: { PATH: process.env.PATH, HOME: s.home },
    stdio: "ignore",
  });
  started.add(child.pid as number);
  expect(await once(child, "exit")).toEqual([2, null]);
});

it.each([
  ["line by line", "--plain", "/help"],
  ["on the whole screen", "", "shows all keys"],
])(
  "a conversation %s ends when its terminal is closed, and does not keep calling the model",
  async (_how, option, shown) => {
    using s = scratch();
    s.useModel("http://127.0.0.1:9/v1");
    // `script` gives the shell a separate terminal, which is closed when `script` is killed.
    const shell = `stty cols 80 rows 24; trap "" HUP; echo $$ > pid; exec node ${BIN} ${option}`;
    const child = spawn("script", ["-qec", shell, "/dev/null"], {
      cwd: s.project,
      env: { PATH: process.env.PATH, HOME: s.home, SHELL: "/bin/sh", TERM: "xterm" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    started.add(child.pid as number);
    const [pid = 0] = await started.pidsIn(`${s.project}/pid`, 1);
    let screen = "";
    child.stdout.on("data", (chunk) => {
      screen += String(chunk);
    });
    await eventually(() => expect(screen).toContain(shown));
    child.kill("SIGKILL");
    await eventually(() => expect(isAlive(pid)).toBe(false));
  },
);
