import { definePlugin } from "@scorel/kernel";
import type { FilesService, ProcessesService, RunningProcess } from "@scorel/local/contract";
import { describe, expect, it } from "vitest";
import { checkedFiles } from "../../../plugins/coding/executor/files.ts";
import { textOf, type Workshop, workshop } from "./workshop.ts";

/** An extension that changes methods of the services by which tools reach files and processes. */
const faulty = (wrappers: {
  files?: (own: FilesService) => Partial<FilesService>;
  processes?: (own: ProcessesService) => Partial<ProcessesService>;
}) => definePlugin({ id: "faulty", name: "Faulty", version: "1.0.0", serviceWrappers: () => wrappers });

const never = () => new Promise<never>(() => {});

async function result(w: Workshop, name: string, args: unknown): Promise<[isError: boolean | undefined, text: string]> {
  const output = await w.call(name, args);
  return [output.isError, textOf(output)];
}

describe("files of an executor", () => {
  it.each<[string, Partial<FilesService>, string]>([
    ["realpath", { realpath: async () => 7 as never }, "an absolute path"],
    [
      "stat",
      { stat: async () => ({ kind: "pipe" }) as never },
      "undefined, or an object with kind, size and perhaps id",
    ],
    ["read", { read: async () => "text" as never }, "an object with kind, size and bytes (a Uint8Array)"],
    [
      "read",
      { read: async () => ({ kind: "file", size: 3, bytes: Buffer.alloc(64 * 1024 * 1024 + 1) }) },
      "at most 67108864 bytes, and an error with the code EFBIG for more",
    ],
  ])("%s with an answer of another form is an error that names the plugin", async (method, members, wanted) => {
    await using w = await workshop({ plugins: [faulty({ files: () => members })] });
    w.file("a.txt", "one\n");
    expect(await result(w, "Read", { file_path: "a.txt" })).toEqual([
      true,
      `Plugin "faulty" answered files.${method} wrongly: the answer must be ${wanted}. Report it to the plugin's author.`,
    ]);
  });

  it("an error without a code names the plugin and the method", async () => {
    const broken = () => ({ write: () => (undefined as never as { x(): never }).x() });
    await using w = await workshop({ plugins: [faulty({ files: broken })] });
    expect(await result(w, "Write", { file_path: "a.txt", content: "x" })).toEqual([
      true,
      `Plugin "faulty" failed in files.write: Cannot read properties of undefined (reading 'x')`,
    ]);
  });

  it("a call that is not answered fails at its limit, and its signal aborts", async () => {
    const aborted: string[] = [];
    const hangs = (method: string) => (_path: unknown, options: unknown, more?: unknown) => {
      const { signal } = (more ?? options) as { signal: AbortSignal };
      signal.addEventListener("abort", () => aborted.push(method));
      return never();
    };
    const methods = ["realpath", "stat", "read", "list", "search"] as const;
    const silent = Object.fromEntries([...methods, "write"].map((method) => [method, hangs(method)]));
    const executor = { service: "files", pluginOf: () => "silent" };
    const files = checkedFiles(silent as never, executor, { questionMs: 20, transferMs: 20 });
    const calls = [...methods.map((method) => files[method]?.("/x", {})), files.write("/x", Buffer.from(""))];
    const ends = await Promise.all(calls.map((call) => (call as Promise<unknown>).catch((thrown) => thrown.message)));
    expect(ends).toEqual(
      [...methods, "write"].map(
        (method) =>
          `Plugin "silent" did not answer files.${method} within 0.02 s; it is unknown whether the call still has an effect. Try again, and if that fails, too, tell the user.`,
      ),
    );
    expect(aborted.sort()).toEqual([...methods, "write"].sort());
  });

  it("a caller's abort ends a call that ignores it", async () => {
    const control = new AbortController();
    const files = checkedFiles({ stat: never } as never, { service: "files", pluginOf: () => "silent" });
    const asked = files.stat("/x", { signal: control.signal });
    control.abort(new Error("stop"));
    await expect(asked).rejects.toThrow("stop");
  });
});

describe("commands of an executor", () => {
  const changed = (change: (running: RunningProcess) => Partial<RunningProcess>) => ({
    processes: (own: ProcessesService): Partial<ProcessesService> => ({
      async start(request) {
        const running = await own.start(request);
        const members = { ended: running.ended, pause() {}, resume() {}, kill: () => running.kill() };
        return { ...members, ...change(running) };
      },
    }),
  });

  it("a start of another form is an error that names the plugin", async () => {
    const wrong = { processes: () => ({ start: async () => ({ pid: 1 }) as never }) };
    await using w = await workshop({ plugins: [faulty(wrong)] });
    expect(await result(w, "Bash", { command: "true" })).toEqual([
      true,
      `Plugin "faulty" answered processes.start wrongly: the answer must be an object with the promise ended and the functions kill, pause and resume. Report it to the plugin's author.`,
    ]);
  });

  it("a start that is not answered fails at the command's limit; if it comes late, it is killed", async () => {
    let arrive = () => {};
    let killed = () => {};
    const dead = new Promise<void>((resolve) => {
      killed = resolve;
    });
    const late = {
      processes: () => ({
        start: () =>
          new Promise<RunningProcess>((resolve) => {
            arrive = () => resolve({ ended: never(), pause() {}, resume() {}, kill: async () => killed() });
          }),
      }),
    };
    await using w = await workshop({ plugins: [faulty(late)] });
    expect(await result(w, "Bash", { command: "true", timeout: 0.1 })).toEqual([
      true,
      `Plugin "faulty" did not answer processes.start within 5 s; it is unknown whether the call still has an effect. Try again, and if that fails, too, tell the user.`,
    ]);
    arrive();
    await dead;
  });

  it("a kill that fails loses neither the output nor the reason why the command was to end", async () => {
    const unkillable = changed((running) => ({
      kill: () => running.kill().then(() => Promise.reject(new Error("the line is dead"))),
    }));
    await using w = await workshop({ plugins: [faulty(unkillable)] });
    expect(await result(w, "Bash", { command: "echo begun; sleep 60", timeout: 0.5 })).toEqual([
      true,
      `begun\n[timed out after 0.5 s, but it may still run. Plugin "faulty" failed in processes.start().kill: the line is dead]`,
    ]);
  });

  it("an end that is not told after a kill is waited for for two seconds", async () => {
    const silent = changed(() => ({ ended: never() }));
    await using w = await workshop({ plugins: [faulty(silent)] });
    const [isError, text] = await result(w, "Bash", { command: "echo begun; sleep 60", timeout: 0.5 });
    expect([isError, text]).toEqual([
      true,
      expect.stringContaining('may still run. Plugin "faulty" did not answer processes.start().ended within 2 s;'),
    ]);
  });

  it("a kill that hangs holds up the end of the session for three seconds, and its plugin is named", async () => {
    const pids: Promise<void>[] = [];
    const hangs = changed((running) => ({
      kill() {
        pids.push(running.kill());
        return never();
      },
    }));
    const w = await workshop({ plugins: [faulty(hangs)] });
    await w.call("Bash", { command: "sleep 60", background: true });
    const began = performance.now();
    await w[Symbol.asyncDispose]();
    expect(performance.now() - began).toBeLessThan(6_000);
    expect(w.kernel.failures.map(({ plugin, where, code }) => [plugin, where, code])).toEqual([
      ["faulty", "ending a command", "EXECUTOR_LATE"],
    ]);
    await Promise.all(pids);
  });
});
