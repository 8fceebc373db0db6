import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A real second process that runs a TypeScript file, bundled into `directory`, as Node 20 runs none. */
export interface SecondProcess extends AsyncDisposable {
  pid: number;
  child: ChildProcess;
  /** The next line that it prints. */
  line(): Promise<string>;
  /** Kills it as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>;
}

export interface SecondProcessOptions {
  /** A command that becomes the process: `["sh", "-c", "ulimit …; exec \"$@\"", "sh"]`. */
  through?: readonly string[];
}

export async function secondProcess(
  script: URL,
  directory: string,
  args: readonly string[],
  options: SecondProcessOptions = {},
): Promise<SecondProcess> {
  const entry = fileURLToPath(script);
  // A name of its own: one that is being started must not find another's half-written file.
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
