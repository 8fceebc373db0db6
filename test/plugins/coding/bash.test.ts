import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { eventually } from "../../eventually.ts";
import { isAlive, startedProcesses } from "../../processes.ts";
import { textOf, type Workshop, workshop } from "./workshop.ts";

const bash = (w: Workshop, command: string, more: Record<string, unknown> = {}) => w.call("Bash", { command, ...more });

const started = startedProcesses();
const pidsIn = (w: Workshop, count: number) => started.pidsIn(w.path("pids"), count);

describe("Bash", () => {
  it("returns both outputs in order, and the exit code", async () => {
    await using w = await workshop();
    expect(textOf(await bash(w, "echo one; echo two >&2; echo three; exit 3"))).toBe("one\ntwo\nthree\n[exit code 3]");
  });

  it("returns a non-zero exit code or a fatal signal as a result", async () => {
    await using w = await workshop();
    const failed = await bash(w, "exit 1");
    expect([textOf(failed), failed.isError]).toEqual(["[exit code 1]", undefined]);
    const killed = await bash(w, "kill -9 $$");
    expect([textOf(killed), killed.isError]).toEqual(["[killed by SIGKILL]", undefined]);
    expect(killed.details).toEqual({
      exitCode: null,
      signal: "SIGKILL",
      durationMs: expect.any(Number),
      bytes: 0,
      truncated: false,
    });
  });

  it("runs in the working directory, or in the given one", async () => {
    await using w = await workshop();
    w.file("sub/a.txt");
    expect(textOf(await bash(w, "pwd"))).toBe(`${w.dir}\n[exit code 0]`);
    expect(textOf(await bash(w, "pwd; ls", { cwd: "sub" }))).toBe(`${w.dir}/sub\na.txt\n[exit code 0]`);
  });

  it("names the missing directory instead of running", async () => {
    await using w = await workshop();
    w.file("a.txt");
    const missing = await bash(w, "touch ran", { cwd: "gone" });
    expect([textOf(missing), missing.isError]).toEqual([
      "The command did not run: its working directory gone does not exist.",
      true,
    ]);
    expect(textOf(await bash(w, "touch ran", { cwd: "a.txt" }))).toContain("a.txt is not a directory");
    expect(existsSync(w.path("ran"))).toBe(false);
  });

  it("says how to go on if the folder of the session was moved", async () => {
    await using w = await workshop();
    renameSync(w.dir, `${w.dir}-moved`);
    expect(textOf(await bash(w, "pwd"))).toBe(
      `The command did not run: ${w.dir}, in which this session works, does not exist. If it has moved, the user can say where it is: scorel project move ${w.dir} NEW-DIRECTORY`,
    );
  });

  it("gives an empty standard input", async () => {
    await using w = await workshop();
    expect(textOf(await bash(w, "cat; readlink /proc/self/fd/0"))).toContain("/dev/null\n[exit code 0]");
  });

  it("opens no editor, in which nobody could type", async () => {
    vi.stubEnv("EDITOR", "cat >/dev/null; sleep 100; true");
    try {
      await using w = await workshop();
      const commit = "git -c user.name=t -c user.email=t@t commit --allow-empty";
      const text = textOf(
        await bash(w, `git init -q . && ${commit}; ${commit} -qm first && ${commit} --amend && "$EDITOR" x`),
      );
      expect(text).toContain("Aborting commit due to empty commit message.");
      expect(text).toMatch(/\] first\n[\s\S]*\[exit code 1\]/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("does not pass keys to the command", async () => {
    vi.stubEnv("PLANTED_API_KEY", "planted");
    try {
      await using plain = await workshop();
      expect(textOf(await bash(plain, "env"))).not.toContain("planted");
      await using w = await workshop({ secret: "hunter2-hunter2" });
      expect(textOf(await bash(w, "env"))).toMatch(/^CHILD=yes$/m);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("redacts secrets in the output and in its file", async () => {
    await using w = await workshop({ secret: "hunter2-hunter2" });
    const result = await bash(w, `printf hunter2-hun; sleep 0.05; printf ter2; seq 20000; echo hunter2-hunter2`);
    const { spill } = result.details as { spill: string };
    expect(textOf(result)).toMatch(/^\[redacted\]1\n/);
    for (const text of [textOf(result), readFileSync(spill, "utf8")]) {
      expect(text).not.toContain("hunter2");
      expect(text.match(/\[redacted\]/g)).toHaveLength(2);
    }
  });

  it("decodes characters that arrive in pieces", async () => {
    await using w = await workshop();
    expect(
      textOf(
        await bash(w, String.raw`printf '\303'; sleep 0.05; printf '\251\360\237'; sleep 0.05; printf '\230\200\377'`),
      ),
    ).toBe("é😀\ufffd\n[exit code 0]");
  });

  it("streams the output so far", async () => {
    await using w = await workshop();
    const heard: string[] = [];
    const result = await w.call(
      "Bash",
      { command: "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two" },
      undefined,
      (partial) => {
        heard.push(textOf(partial));
        writeFileSync(w.path("go"), "");
      },
    );
    expect(heard[0]).toBe("one\n");
    expect(textOf(result)).toBe("one\ntwo\n[exit code 0]");
  });

  it("keeps the head and tail of a long output, and all of it in a private file", async () => {
    await using w = await workshop();
    const result = await bash(w, "seq 100000");
    const all = Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join("");
    const details = result.details as { spill: string; bytes: number; truncated: boolean };
    expect(details).toMatchObject({ bytes: all.length, truncated: true });
    expect(details.spill.startsWith(`${w.temp}/`)).toBe(true);
    expect(readFileSync(details.spill, "utf8") === all).toBe(true);
    expect(statSync(details.spill).mode & 0o777).toBe(0o600);
    const text = textOf(result);
    expect(text.length).toBeLessThanOrEqual(50 * 1024);
    const [, head = "", cut, path, tail = ""] =
      /^([\s\S]*)\n\[(\d+) bytes cut here; all of it: (.*)\]\n([\s\S]*)\[exit code 0\]$/.exec(text) ?? [];
    expect([all.startsWith(`${head}\n`), all.endsWith(tail), path]).toEqual([true, true, details.spill]);
    expect(head.length + tail.length + Number(cut)).toBe(all.length);
    expect(head.length).toBeGreaterThan(25_300);
    expect(tail.length).toBeGreaterThan(25_300);
  });

  it("writes no file for an output that fits", async () => {
    await using w = await workshop();
    const result = await bash(w, "seq 1000");
    expect(result.details).toMatchObject({ truncated: false });
    expect(readdirSync(w.temp)).toEqual([]);
  });

  it("keeps at most 64 MiB in the file", async () => {
    await using w = await workshop();
    const result = await bash(w, "head -c 70000000 /dev/zero | tr '\\0' 'a'; echo; echo end");
    const { spill, bytes } = result.details as { spill: string; bytes: number };
    expect([bytes, statSync(spill).size]).toEqual([70_000_005, 64 * 1024 * 1024]);
    expect(textOf(result)).toContain(`the first 67108864 bytes: ${spill}]`);
    expect(textOf(result)).toMatch(/\nend\n\[exit code 0\]$/);
  });

  it("returns less when the context is nearly full", async () => {
    await using w = await workshop({ window: 8_000, used: 6_000 });
    expect(textOf(await bash(w, "seq 10000")).length).toBeLessThanOrEqual(4_000);
  });

  it("goes on when the file cannot be written", async () => {
    await using w = await workshop({ workspace: { temp: "/dev/null" } });
    expect(textOf(await bash(w, "seq 100000"))).toMatch(/bytes cut here; it could not be saved to a file: ENOTDIR\]/);
  });

  it("has a time limit of at most an hour", async () => {
    await using w = await workshop();
    await expect(bash(w, "true", { timeout: 3_601 })).rejects.toMatchObject({ code: "TOOL_ARGUMENTS" });
  });

  it("does not wait for processes that a command leaves running", async () => {
    await using w = await workshop();
    const result = await bash(w, "sleep 300 & echo $! > pids; echo done");
    const [pid] = await pidsIn(w, 1);
    expect(textOf(result)).toBe("done\n[exit code 0]\n[processes it started in the background still run]");
    expect(isAlive(pid as number)).toBe(true);
  });

  it("kills all processes at its time limit, including those that left the group and hold the output", async () => {
    await using w = await workshop();
    const command = [
      "echo $$ >> pids",
      "sleep 300 & echo $! >> pids",
      "setsid sh -c 'echo $$ >> pids; sleep 301' &",
      "(setsid sh -c 'echo $$ >> pids; trap \"\" TERM; while :; do sleep 0.2; done' &)",
      "echo begun; while :; do sleep 1; done",
    ].join("\n");
    const running = bash(w, command, { timeout: 1 });
    const pids = await pidsIn(w, 4);
    expect(pids.map(isAlive)).toEqual([true, true, true, true]);
    const result = await running;
    expect([textOf(result), result.isError]).toEqual([
      "begun\n[timed out after 1 s; the command and all its processes were killed. Set a longer timeout if it needs one]",
      true,
    ]);
    expect(pids.map(isAlive)).toEqual([false, false, false, false]);
  });

  it("kills all processes when cancelled, and returns the output so far immediately", async () => {
    await using w = await workshop();
    const control = new AbortController();
    const heard = new Promise<void>((resolve) => {
      w.call(
        "Bash",
        { command: "echo begun; (setsid sleep 300 & echo $! >> pids); sleep 301 & echo $! >> pids; wait" },
        control.signal,
        () => resolve(),
      ).then(
        (result) => w.file("said", textOf(result)),
        // On a loaded machine, killing them takes longer than a cancelled call is waited for.
        (thrown: Error) => w.file("said", thrown.message),
      );
    });
    const pids = await pidsIn(w, 2);
    await heard;
    control.abort();
    await eventually(() => expect(pids.map(isAlive)).toEqual([false, false]));
    await eventually(() =>
      expect([
        "begun\n[cancelled; the command and all its processes were killed]",
        "Bash was cancelled before it finished. Its output so far:\nbegun\n",
      ]).toContain(w.text("said")),
    );
  });

  it("says how much of a long output is cut and where all of it is, also when it is cancelled", async () => {
    await using w = await workshop();
    const control = new AbortController();
    const said = await w
      .call("Bash", { command: "seq 1 100000; sleep 300" }, control.signal, (partial) => {
        const shown = textOf(partial);
        if (!shown.endsWith("\n100000\n")) return;
        expect(shown).toMatch(/^\[\d+ bytes before this are not shown; all of it: .*\/output-.*\.txt\]\n\d+\n/);
        control.abort();
      })
      // On a loaded machine, killing it takes longer than a cancelled call is waited for.
      .then(textOf, (thrown: Error) => thrown.message);
    expect(said).toMatch(
      /^1\n2\n[\s\S]*\n100000\n\[cancelled; the command and all its processes were killed\]$|^Bash was cancelled before it finished\.[\s\S]*\n100000\n$/,
    );
    const [, path = ""] = /\n\[\d+ bytes (?:cut here|before this are not shown); all of it: (.*)\]\n/.exec(said) ?? [];
    expect(readFileSync(path, "utf8")).toBe(Array.from({ length: 100_000 }, (_, n) => `${n + 1}\n`).join(""));
  });

  it("leaves nothing behind when its session closes", async () => {
    const w = await workshop();
    const running = w
      .call("Bash", { command: "trap '' TERM; echo $$ > pids; while :; do sleep 1; done" })
      .catch(() => {});
    const pids = await pidsIn(w, 1);
    await w[Symbol.asyncDispose]();
    await running;
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it("lets an Edit of the same batch finish first", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\n");
    await w.call("Read", { file_path: "a.txt" });
    const args = { file_path: "a.txt", old_string: "one", new_string: "two" };
    const edit = w.tools.get("Edit");
    const shell = w.tools.get("Bash");
    w.tools.beginBatch([
      { id: "e", name: "Edit", arguments: args },
      { id: "b", name: "Bash", arguments: {} },
    ]);
    const ended: string[] = [];
    const second = shell
      ?.execute("b", { command: "cat a.txt" }, undefined)
      .then((result) => ended.push(textOf(result)));
    const first = edit?.execute("e", args, undefined).then(() => {
      ended.push("edited");
      w.tools.settle("e");
    });
    await Promise.all([first, second]);
    expect(ended).toEqual(["edited", "two\n[exit code 0]"]);
  });

  it("is drawn as a card with its output", async () => {
    await using w = await workshop();
    const result = await bash(w, "echo hi");
    expect(w.tools.display("Bash", { command: "echo hi" }, result)).toEqual({
      display: "card",
      title: "$ echo hi",
      status: "done",
      text: "hi\n[exit code 0]",
    });
  });
});

it("a call without a command, or an id to poll or stop, is titled with the arguments that it has", async () => {
  await using w = await workshop();
  const titleOf = (args: object) => (w.tools.display("Bash", args, undefined) as { title: string }).title;
  expect([{}, { cmd: "ls" }, { stop: "b1" }, { poll: "b1" }].map(titleOf)).toEqual([
    "Bash",
    'Bash {"cmd":"ls"}',
    "Bash stop b1",
    "Bash poll b1",
  ]);
});

it("a spill file has a unique name", async () => {
  await using w = await workshop();
  await Promise.all([bash(w, "seq 20000"), bash(w, "seq 20000")]);
  expect(readdirSync(w.temp).map((name) => join(w.temp, name))).toHaveLength(2);
});
