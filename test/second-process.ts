import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
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

export async function secondProcess(script: URL, directory: string, args: readonly string[]): Promise<SecondProcess> {
  const entry = fileURLToPath(script);
  const outfile = join(directory, `${basename(entry, ".ts")}.mjs`);
  const banner = 'import{createRequire as r}from"node:module";const require=r(import.meta.url);';
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", banner: { js: banner } });
  const child = spawn(process.execPath, [outfile, ...args], { stdio: ["pipe", "pipe", "inherit"] });
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
