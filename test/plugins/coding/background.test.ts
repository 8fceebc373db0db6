import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endSurvivors, Ledger, ledgerFolder } from "../../../plugins/kit/process/ledger.ts";
import { eventually } from "../../eventually.ts";
import { isAlive, startedProcesses } from "../../processes.ts";
import { textOf, type Workshop, workshop } from "./workshop.ts";

/** Starts a command in the background and returns its id. */
async function start(w: Workshop, command: string, more: Record<string, unknown> = {}): Promise<string> {
  const result = await w.call("Bash", { command, background: true, ...more });
  return (result.details as { background: string }).background;
}
const poll = (w: Workshop, id: string) => w.say("Bash", { poll: id });
const stop = (w: Workshop, id: string) => w.say("Bash", { stop: id });
/** Polls until the whole output since then matches; returns this output. */
async function until(w: Workshop, id: string, matches: RegExp): Promise<string> {
  let said = "";
  await eventually(async () => {
    said += await poll(w, id);
    expect(said).toMatch(matches);
  });
  return said;
}

/** The output of the command without the notes of polls, which may end between two of its lines. */
const withoutTimes = (said: string) => said.replace(/\[running for \d+ s\]/g, "");

const started = startedProcesses();
const pidsIn = (w: Workshop, count: number) => started.pidsIn(w.path("pids"), count);

describe("a command in the background", () => {
  it("returns its id immediately, and its new output at each poll", async () => {
    await using w = await workshop();
    const id = await start(w, "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two");
    expect(await until(w, id, /one/)).toMatch(/^(\[running for \d+ s\])*one\n\[running for \d+ s\]$/);
    expect(await poll(w, id)).toMatch(/^\[running for \d+ s\]$/);
    w.file("go");
    expect(await until(w, id, /exit/)).toMatch(/two\n(\[running for \d+ s\])?\[exit code 0\]$/);
    expect(await poll(w, id)).toBe(`There is no background command ${id}. None is running.`);
  });

  it("is stopped with all its processes, and returns its last output", async () => {
    await using w = await workshop();
    const id = await start(w, "echo $$ > pids; sleep 300 & echo $! >> pids; echo ready; wait");
    const pids = await pidsIn(w, 2);
    expect(await stop(w, id)).toBe("ready\n[stopped, including its child processes]");
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it("is killed at its time limit, if it has one", async () => {
    await using w = await workshop();
    const id = await start(w, "sleep 300", { timeout: 0.2 });
    expect(await until(w, id, /timed out/)).toContain("timed out after 0.2 s");
  });

  it("may print endlessly: unread output is kept, and a poll cuts it in the middle", async () => {
    await using w = await workshop();
    const id = await start(w, "yes");
    await eventually(() => {
      const [spill = ""] = readdirSync(w.temp);
      expect(statSync(join(w.temp, spill)).size).toBe(64 * 1024 * 1024);
    });
    const said = await stop(w, id);
    expect(said.length).toBeLessThanOrEqual(51 * 1024);
    expect(said).toMatch(/^y\n[\s\S]*bytes cut here; .*\]\n[\s\S]*y\n\[stopped, including its child processes\]$/);
  });

  it("is paused at more than 64 MiB of unread output", async () => {
    await using w = await workshop();
    const id = await start(w, "head -c 150000000 /dev/zero | tr '\\0' a");
    const sizes: number[] = [];
    await eventually(async () => {
      // Long enough for all output to arrive if it were read.
      await w.say("Bash", { command: "sleep 0.5" });
      const { details } = await w.call("Bash", { poll: id });
      sizes.push((details as { bytes: number }).bytes);
      expect(details).toMatchObject({ exitCode: 0 });
    });
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect({ total, most: Math.max(...sizes) <= 65 * 1024 * 1024 }).toEqual({ total: 150_000_000, most: true });
  });

  it("gets no input, so that a password prompt fails", async () => {
    await using w = await workshop();
    const id = await start(w, "read -r -p 'Password: ' answer || echo none; readlink /proc/self/fd/0");
    expect(withoutTimes(await until(w, id, /exit/))).toContain("none\n/dev/null\n");
  });

  it("does not start in a directory that is missing", async () => {
    await using w = await workshop();
    const result = await w.call("Bash", { command: "touch ran", background: true, cwd: "gone" });
    expect([textOf(result), result.isError]).toEqual([
      "The command did not run: its working directory gone does not exist.",
      true,
    ]);
    expect(existsSync(ledgerFolder(w.home))).toBe(false);
  });

  it("does not show a secret that is printed in pieces between polls", async () => {
    await using w = await workshop({ secret: "hunter2-hunter2" });
    const id = await start(
      w,
      "printf 'a hunter2-hun'; while [ ! -e go ]; do sleep 0.02; done; printf 'ter2 b'; seq 20000",
    );
    await poll(w, id);
    w.file("go");
    await eventually(() => expect(readdirSync(w.temp)).toHaveLength(1));
    const said = await until(w, id, /exit/);
    const [spill = ""] = readdirSync(w.temp);
    expect([said, readFileSync(join(w.temp, spill), "utf8")].join()).not.toContain("hunter2");
  });

  it("is one of at most sixteen that run", async () => {
    await using w = await workshop();
    const ids = [];
    for (let count = 0; count < 16; count++) ids.push(await start(w, "sleep 300"));
    const refused = await w.call("Bash", { command: "touch ran", background: true });
    expect([textOf(refused), refused.isError]).toEqual([
      `The command did not run: 16 commands already run in the background. Stop one of them first: ${ids.join(", ")}.`,
      true,
    ]);
    await stop(w, ids[0] as string);
    await start(w, "sleep 300");
  });

  it.each([{}, { command: "true", poll: "x" }, { poll: "x", stop: "x" }])("rejects the arguments %j", async (args) => {
    await using w = await workshop();
    expect(await w.call("Bash", args)).toMatchObject({ isError: true, details: { code: "BASH_ARGUMENTS" } });
  });
});

describe("when its session closes", () => {
  it.each([
    ["what it says without end", "echo $$ > pids; exec yes", /running/],
    ["what it disowned", "sleep 1000 & disown; echo $! > pids", /exit code 0/],
    ["what it forked twice", "(sh -c 'echo $$ > pids; exec sleep 1000' &) & exit 0", /exit code 0/],
    ["what took a session of its own", "setsid sh -c 'echo $$ > pids; exec sleep 1000' & exit 0", /exit code 0/],
    ["what will not listen", "trap '' TERM HUP; echo $$ > pids; while :; do sleep 1; done", /running/],
  ])("%s has ended within five seconds", async (_, command, state) => {
    const w = await workshop();
    const id = await start(w, command);
    const pids = await pidsIn(w, 1);
    await until(w, id, state);
    expect(pids.map(isAlive)).toEqual([true]);
    const before = performance.now();
    await w[Symbol.asyncDispose]();
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(pids.map(isAlive)).toEqual([false]);
  });
});

describe("the ledger of running commands", () => {
  it("is private, and removed when the session closes", async () => {
    const w = await workshop();
    await start(w, "sleep 300");
    const folder = ledgerFolder(w.home);
    const [name = ""] = readdirSync(folder);
    expect([statSync(join(folder, name)).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    await w.kernel.stop();
    expect(readdirSync(folder)).toEqual([]);
    await w[Symbol.asyncDispose]();
  });

  /** Starts a process in a separate group, recorded as if the process `owner` had started it. */
  function leftBy(w: Workshop, owner: object): { pid: number; path: string } {
    const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    const pid = child.pid as number;
    started.add(pid);
    const folder = ledgerFolder(w.home);
    new Ledger(folder, "left", () => {}).add(pid, "no-mark");
    const path = join(folder, "left.json");
    const page = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...page, owner }));
    return { pid, path };
  }
  const nobody = { pid: 4_000_000, start: "1" };
  const fail = (thrown: unknown) => {
    throw thrown;
  };

  it("kills the commands of a process that was killed", async () => {
    await using w = await workshop();
    const { pid, path } = leftBy(w, nobody);
    await endSurvivors(ledgerFolder(w.home), fail);
    expect([isAlive(pid), existsSync(path)]).toEqual([false, false]);
  });

  it("leaves alone the commands of a running process", async () => {
    await using w = await workshop();
    const { pid, path } = leftBy(w, nobody);
    const page = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...page, owner: page.commands[0] }));
    await endSurvivors(ledgerFolder(w.home), fail);
    expect([isAlive(pid), existsSync(path)]).toEqual([true, true]);
  });

  it.each([
    ["another process got the number", { commands: [{ pid: 0, start: "1", mark: "no-mark" }] }, false],
    ["the machine was started again", { boot: "another" }, false],
    ["the numbers are those of another container", { space: "another" }, true],
  ])("ends nothing when %s", async (_, change, kept) => {
    await using w = await workshop();
    const { pid, path } = leftBy(w, nobody);
    const page = JSON.parse(readFileSync(path, "utf8"));
    const commands = "commands" in change ? [{ ...change.commands[0], pid }] : page.commands;
    writeFileSync(path, JSON.stringify({ ...page, ...change, commands }));
    await endSurvivors(ledgerFolder(w.home), fail);
    expect([isAlive(pid), existsSync(path)]).toEqual([true, kept]);
  });
});

describe("the end of a command in the background", () => {
  const events = ({ kernel }: Workshop) => kernel.session.tree.path(kernel.session.activeLeaf ?? "");
  const notices = (w: Workshop) =>
    events(w).flatMap((event) => {
      const { type, text, data } = event as unknown as { type: string; text: string; data: object };
      return type === "harness_item" ? [{ text, data }] : [];
    });

  it("is told once between turns, and changes the card of the call", async () => {
    await using w = await workshop();
    const id = await start(w, "exit 3");
    await eventually(() => expect(notices(w)).toHaveLength(1));
    const [event] = events(w);
    expect(notices(w)).toEqual([
      {
        text: `The background command ${id} ($ exit 3) has ended: exit code 3. Bash with poll gives its output.`,
        data: {
          level: "warning",
          backgroundCommandsEnded: [id],
          cards: { [event?.id ?? ""]: { status: "error", text: "[exit code 3]" } },
        },
      },
    ]);
    expect(w.kernel.session.projection("backgroundCommands")).toEqual({});
    expect(await poll(w, id)).toBe("[exit code 3]");
  });

  it("is not told if a result of Bash has told of it", async () => {
    await using w = await workshop();
    const hold = w.kernel.session.hold();
    const id = await start(w, "sleep 300");
    await stop(w, id);
    await hold.release();
    await w.kernel.session.append("message", { message: { role: "user", content: "x", timestamp: 0 } });
    expect(notices(w)).toEqual([]);
  });
});
