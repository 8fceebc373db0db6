import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import manifest from "../../package.json" with { type: "json" };
import { plainText } from "../../plugins/kit/text/plain.ts";
import { createModules } from "../../presets/bundle/modules.ts";
import type * as Launch from "../../presets/start/launch.ts";
import type { Finished } from "./scorel.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

interface Command {
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: string;
}

let last: Promise<unknown> = Promise.resolve();
let launch: typeof Launch | undefined;

/**
 * Runs the built command in the test's own process, through the function that `scorel` calls; this saves starting a
 * process. The command gets its own arguments, directory, environment and streams. Signals, exit, and what protects the
 * process from extensions are not simulated. Since a process has only one directory and environment, commands run one
 * after another.
 */
export function runInProcess(command: Command): Promise<Finished> {
  const run = last.then(() => runAlone(command));
  last = run.catch(() => {});
  return run;
}

async function runAlone({ args, cwd, env, input }: Command): Promise<Finished> {
  using _restored = surroundings(cwd, env);
  launch ??= createModules(dist, { evaluate, use() {}, keep() {} })("launch.js") as typeof Launch;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = [text(stdout), text(stderr)] as const;
  const stops: (() => Promise<void>)[] = [];
  const signals = {
    interrupt: new AbortController().signal,
    code: undefined,
    onStop: (stop: () => Promise<void>) => void stops.push(stop),
    stop: async () => void (await Promise.all(stops.map((stop) => stop()))),
  };
  const code = await launch.run(args, manifest.version, signals, {
    stdin: Readable.from([input]) as never,
    stdout: stdout as never,
    stderr: stderr as never,
  });
  stdout.end();
  stderr.end();
  return { code, signal: null, stdout: await said[0], stderr: plainText(await said[1]) };
}

function evaluate(file: string): unknown {
  return new Script(readFileSync(file, "latin1"), { filename: file }).runInThisContext();
}

/** Changes this process to a directory and exactly this environment, and back when disposed. */
function surroundings(cwd: string, env: Command["env"]): Disposable {
  const before = { cwd: process.cwd(), env: { ...process.env }, program: process.argv[1] as string };
  const enter = (directory: string, variables: NodeJS.ProcessEnv, program: string) => {
    process.chdir(directory);
    // Checks of extensions start the command again, in a separate process.
    process.argv[1] = program;
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  };
  enter(cwd, env, join(dist, "bin.js"));
  return { [Symbol.dispose]: () => enter(before.cwd, before.env, before.program) };
}
