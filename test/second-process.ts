import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Runs a TypeScript file as a real second process. It is bundled into `directory`, since Node 20 cannot run TypeScript. */
export interface SecondProcess extends AsyncDisposable {
  pid: number;
  child: ChildProcess;
  /** Resolves with the next line that it prints. */
  line(): Promise<string>;
  /** Kills the process with SIGKILL, and waits until it has ended. */
  kill(): Promise<void>;
}

export interface SecondProcessOptions {
  /** A command that sets limits and then executes the program: `["sh", "-c", "ulimit …; exec \"$@\"", "sh"]`. */
  through?: readonly string[];
}

export async function secondProcess(
  script: URL,
  directory: string,
  args: readonly string[],
  options: SecondProcessOptions = {},
): Promise<SecondProcess> {
  const entry = fileURLToPath(script);
  // A unique name, since two processes that start at the same time must not use each other's half-written file.
  const outfile = join(directory, `${basename(entry, ".ts")}-${++started}.mjs`);
  writeFileSync(outfile, await bundleOf(entry));
  const [program = "", ...before] = [...(options.through ?? []), process.execPath];
  const child = spawn(program, [...before, outfile, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  return {
    pid: child.pid as number,
    child,
    line: async () => String((await lines.next()).value),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

let started = 0;
const bundles = new Map<string, Promise<string>>();

function bundleOf(entry: string): Promise<string> {
  const known = bundles.get(entry) ?? bundle(entry);
  bundles.set(entry, known);
  return known;
}

async function bundle(entry: string): Promise<string> {
  const banner = {
    js: 'import{createRequire as requireFor}from"node:module";const require=requireFor(import.meta.url);',
  };
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    banner,
  });
  return built.outputFiles[0]?.text ?? "";
}
