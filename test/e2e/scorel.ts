import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInProcess } from "./in-process.ts";

/** The built command. */
export const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}
export interface Running {
  pid: number;
  child: ChildProcess;
  finished: Promise<Finished>;
  /** Resolves with the first line of stdout that matches. */
  line(matches: (line: string) => boolean): Promise<string>;
  /** Resolves when stderr contains this text, or matches it. */
  said(text: string | RegExp): Promise<void>;
}
export interface RunOptions {
  /** Text for stdin, which is then closed. Default: stdin is closed at once. */
  input?: string;
  /** Keeps stdin open, so that the test can write to `child.stdin`. */
  open?: boolean;
  cwd?: string;
  env?: Record<string, string>;
  /** A command that sets limits and then executes the command. */
  through?: readonly string[];
  /** Whether tool calls need permission, as by default. Otherwise, `-p` and `chat` run with `--yes`. */
  guarded?: boolean;
  /** An open file for stdout. Default: a pipe, read into `Finished.stdout`. */
  stdout?: number;
  /** Runs the command in a separate process, although other commands of the scratch run in the test's process. */
  ownProcess?: boolean;
}

/** A home and a project for a test. The built command runs in them as in a user's shell. */
export interface Scratch extends Disposable {
  home: string;
  project: string;
  /** Writes a file below the project (below the home with `~/`), with its folders; returns its path. */
  file(path: string, content: string): string;
  /** Configures an openai-completions model at `baseUrl` in the home's config.toml. */
  useModel(baseUrl: string, more?: string): void;
  start(args: readonly string[], options?: RunOptions): Running;
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** The paths of the session logs in the home. */
  logs(): string[];
}

/**
 * `cold`: without the compiled code of `warm.ts`, as on a machine where the command never ran; by default, a home with
 * a model has that code. `inProcess`: commands that `run` starts need no separate process (see in-process.ts).
 */
export function scratch({ cold = false, inProcess = false } = {}): Scratch {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "scorel-e2e-")));
  const home = join(root, "home");
  const project = join(root, "project");
  mkdirSync(home);
  mkdirSync(project);
  const running = new Set<ChildProcess>();
  const file = (path: string, content: string) => {
    const full = path.startsWith("~/") ? join(home, path.slice(2)) : join(project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  };
  const start = (args: readonly string[], options: RunOptions = {}) => {
    const started = launch(options.guarded ? args : unguarded(args), {
      ...options,
      cwd: options.cwd ?? project,
      env: { ...cleanEnv(home), ...options.env },
    });
    running.add(started.child);
    void started.finished.then(() => running.delete(started.child));
    return started;
  };
  return {
    home,
    project,
    file,
    useModel: (baseUrl, more = "") => {
      file("~/.scorel/config.toml", modelTable(baseUrl) + more);
      if (!cold) warmUp(home);
    },
    start,
    run(args, options = {}) {
      const { guarded, input = "", cwd = project, env, ownProcess = !inProcess } = options;
      if (ownProcess || options.through || options.stdout !== undefined) return start(args, options).finished;
      return runInProcess({ args: guarded ? args : unguarded(args), cwd, env: { ...cleanEnv(home), ...env }, input });
    },
    logs: () => {
      const folder = join(home, ".scorel/sessions");
      return readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(folder, name));
    },
    [Symbol.dispose]: () => {
      for (const child of running) if (child.pid !== undefined) process.kill(child.pid, "SIGKILL");
      removeFolder(root);
    },
  };
}

/**
 * Removes a folder to which a process that is ending may still write, for example because its terminal was closed or
 * because it saves compiled code. The retries of `rmSync` would not suffice, since they do not look for new files.
 */
function removeFolder(folder: string): void {
  const until = Date.now() + 20_000;
  while (existsSync(folder)) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 2, retryDelay: 50 });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ENOTEMPTY" || Date.now() > until) throw thrown;
    }
  }
}

/** Copies the compiled code of one home to another. */
function warmUp(home: string): void {
  const kept = process.env.SCOREL_TEST_WARM;
  const folder = join(home, ".scorel/cache/code");
  if (kept === undefined || existsSync(folder)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(kept)) linkSync(join(kept, name), join(folder, name));
}

/** The records of a log, without checking their checksums. */
export function records(path: string): Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The processes that have a session of a home open for writing. */
export function writersIn({ home }: Pick<Scratch, "home">): number[] {
  const folder = join(home, ".scorel/sessions");
  const locks = readdirSync(folder).filter((name) => name.endsWith(".lock"));
  return locks.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).pid);
}

export function modelTable(baseUrl: string): string {
  return [
    "[model]",
    'type = "custom"',
    'api = "openai-completions"',
    'provider = "scripted"',
    'id = "scripted-model"',
    `baseUrl = "${baseUrl}"`,
    "contextWindow = 128000",
    "maxTokens = 8000",
    "",
  ].join("\n");
}

/** Only the environment variables that a program needs to run. */
function cleanEnv(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8", TMPDIR: tmpdir() };
}

/** Adds `--yes` where it is needed, since most tests are not about permissions. */
function unguarded(args: readonly string[]): readonly string[] {
  const prints = args.some((word) => word === "-p" || word === "--print" || word.startsWith("--print="));
  if (args[0] === "chat") return ["chat", "--yes", ...args.slice(1)];
  return prints ? ["--yes", ...args] : args;
}

function launch(args: readonly string[], { input, open, cwd, env, through = [], stdout: file }: RunOptions): Running {
  const [program = "", ...before] = [...through, process.execPath];
  const child: ChildProcess = spawn(program, [...before, BIN, ...args], {
    cwd,
    env,
    stdio: ["pipe", file ?? "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    for (const watch of watchers) watch();
  });
  const listeners = new Set<() => void>();
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
    for (const listen of listeners) listen();
  });
  // A command that ends without reading its input closes the pipe; that is no failure.
  child.stdin?.on("error", () => {});
  if (!open) child.stdin?.end(input ?? "");
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const line = (matches: (line: string) => boolean) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = stdout.split("\n").slice(0, -1).find(matches);
        if (found === undefined) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
      void finished.then((end) =>
        reject(new Error(`It ended (${end.code ?? end.signal}) without that line.\n${end.stdout}\n${end.stderr}`)),
      );
    });
  const said = (words: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const isSaid = () => (typeof words === "string" ? stderr.includes(words) : words.test(stderr));
      const look = () => isSaid() && resolve();
      listeners.add(look);
      look();
      void finished.then(() => reject(new Error(`It ended without saying so.\n${stdout}\n${stderr}`)));
    });
  return { pid: child.pid as number, child, finished, line, said };
}
