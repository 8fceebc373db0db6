import { existsSync, realpathSync, statSync } from "node:fs";
import { join, parse, resolve } from "node:path";
import type { Launch } from "@scorel/cli/contract";
import type { Signals } from "@scorel/cli/signals";
import { codeOf, createKernel, type Kernel, type KernelEntry, messageOf, newId } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { userDir } from "@scorel/kit/files/home";
import { createOutput, type Output } from "@scorel/kit/terminal/output";
import { failureText } from "@scorel/kit/values/failure-text";
import { type Asked, createAsked } from "../composition/asked.ts";
import { createComposition, hostPlugins } from "../composition/composition.ts";
import { createExtensionsService } from "../composition/extensions-service.ts";
import { createLayersService } from "../composition/layers-service.ts";
import { createExtensionStore, createPresetStore } from "../composition/preset-store.ts";
import { createTrustService } from "../composition/trust.ts";
import { errors } from "../errors.ts";
import { type Flags, globalOptions, readFlags } from "./flags.ts";
import { loggerTo } from "./logger.ts";

/** Starts the host, runs the command and ends the process with its exit code. */
export async function launch(argv: readonly string[], version: string): Promise<void> {
  const { createSignals } = await import("@scorel/cli/signals");
  const signals = createSignals();
  const output = createOutput(process.stdout);
  const [{ plainText }, { filterOutput, exitProcess }] = await Promise.all([
    import("@scorel/kit/text/plain"),
    ownProcess(),
  ]);
  filterOutput(plainText);
  const contain = async () => {
    const { containProcess, takeUncaught } = await import("@scorel/extensions/process");
    containProcess({ sessions: join(userDir(), "sessions"), exit: exitProcess });
    signals.onUncaught(takeUncaught);
  };
  const code = await run(argv, version, signals, { ...(await ownStreams()), contain });
  await end(signals.code ?? code, output);
}

/** Starts the host, runs the command, prints what it throws and returns the exit code. */
export async function run(
  argv: readonly string[],
  version: string,
  signals: Pick<Signals, "interrupt" | "code" | "onStop" | "stop">,
  surroundings: Surroundings,
): Promise<number> {
  try {
    const work: (() => Promise<void>)[] = [];
    const kernel = await startHost(readFlags(argv), version, signals.interrupt, surroundings, (more) =>
      work.push(more),
    );
    signals.onStop(
      () => kernel.stop(),
      async () => void (await Promise.allSettled(work.map((each) => each()))),
    );
    try {
      const cli = kernel.find("cli");
      if (!cli) throw errors.CONFIG_NO_CLI();
      return await cli.run(argv);
    } finally {
      await signals.stop();
    }
  } catch (thrown) {
    const { exitCodeOf, printError } = await import("@scorel/cli/exit-code");
    // An error after a signal is only its consequence, and not useful for the user.
    if (signals.code === undefined) printError(thrown, surroundings.stderr, argv.includes("--verbose"));
    return exitCodeOf(thrown);
  }
}

/** The process's own streams and `exit`, captured before any extension runs. */
const ownProcess = () => import("@scorel/cli/own-process");

/** The streams that a command reads and writes, and the function that protects the process from extensions. */
export interface Surroundings extends Pick<Launch, "stdin" | "stdout" | "terminal" | "stderr"> {
  /** Called once, before the code of the first extension runs. */
  contain?(): Promise<void>;
}

export async function ownStreams(): Promise<Surroundings> {
  const { commandStdout, terminalStdout } = await ownProcess();
  const { stdin, stderr } = process;
  return { stdin, stdout: commandStdout, terminal: terminalStdout, stderr };
}

/** Starts the host kernel with the services of the loader. */
export async function startHost(
  flags: Flags,
  version: string,
  interrupt: AbortSignal,
  { contain, ...streams }: Surroundings,
  beforeEnd: Launch["beforeEnd"] = () => {},
): Promise<Kernel> {
  const asked = askedBy(flags, { contain, ...streams });
  const asks = flags.preset !== undefined && !flags.print && !flags.rescue;
  if (asks) await (await import("./preset-question.ts")).askAboutPreset(asked, { ...streams, interrupt });
  const { entries, problems, suspects } = flags.rescue ? await rescuePlugins(asked) : await hostPlugins(asked);
  for (const { message } of problems) asked.notify(message);
  const [{ createRehearsal }, { hostHints, knownWords, sessionHints }] = await Promise.all([
    import("@scorel/extensions/rehearsal"),
    import("@scorel/extensions/words"),
  ]);
  const rehearsal = createRehearsal(createComposition(asked, () => kernel));
  const extensions = createExtensionsService(asked, knownWords, rehearsal, () => kernel);
  const launch = launchOf(flags, {
    cwd: asked.cwd,
    version,
    failedExtensions: () => [...new Set([...suspects(), ...failedIn(kernel, entries)])],
    ...streams,
    interrupt,
    beforeEnd,
    leaveProjectUnused: () => {
      asked.usesNoProject = true;
    },
  });
  const kernel: Kernel = await createKernel({
    entries,
    store: createMemoryStore(header()),
    services: {
      composition: rehearsal.composition,
      extensions,
      layers: createLayersService(asked),
      trust: createTrustService(asked),
      presetStore: createPresetStore(asked),
      extensionStore: createExtensionStore((id) => extensions.taken(id, "user")),
      launch,
    },
    hints: { ...hostHints, child: sessionHints },
    logger: loggerTo(streams.stderr, { isVerbose: flags.verbose, isServing: () => launch.served !== undefined }),
  });
  for (const failure of kernel.failures) asked.notify(`warning: ${failureText(failure)}`);
  // Not with --preset: that preset may lack extensions that the next command has.
  if (flags.preset === undefined && !flags.rescue) await noteForHelp(kernel, entries, asked);
  return kernel;
}

/** The files of extensions that have failed in a kernel. */
function failedIn({ failures }: Kernel, entries: readonly KernelEntry[]): string[] {
  const failed = new Set(failures.map(({ plugin }) => plugin));
  return entries.flatMap(({ plugin, origin, contained }) =>
    contained && origin !== undefined && failed.has(plugin.id) ? [origin] : [],
  );
}

/** Builds the request for plugins from the command-line flags. Its notices are written to stderr, each text once. */
function askedBy(flags: Flags, { contain, stderr }: Surroundings): Asked {
  return createAsked({
    preset: flags.preset ?? "coding",
    by: flags.preset === undefined ? "the default" : "--preset",
    cwd: flags.rescue ? anyDirectory(flags.cwd) : workingDirectory(flags.cwd),
    trust: flags.trust,
    opensSession: flags.print === true,
    ...(contain && { beforeExtensions: callOnce(contain) }),
    notify: flags.rescue ? () => {} : once((notice) => stderr.write(`scorel: ${notice}\n`)),
  });
}

/** The service `launch`: how this run was started. */
function launchOf({ preset, trust }: Flags, given: Omit<Launch, "preset" | "trust" | "globalOptions" | "env">): Launch {
  return {
    ...given,
    ...(preset !== undefined && { preset }),
    ...(trust && { trust: true }),
    globalOptions,
    env: process.env,
  };
}

/** Stores the commands of extensions for `--help`. Loads the plugin only if there are extensions, or commands from an earlier start. */
async function noteForHelp(kernel: Kernel, entries: readonly KernelEntry[], { notify }: Asked): Promise<void> {
  const { noteFile } = await import("@scorel/extensions/noted-commands");
  if (!entries.some(({ contained }) => contained) && !existsSync(noteFile())) return;
  try {
    (await import("@scorel/extensions/note-commands")).noteCommands(kernel, entries);
  } catch (thrown) {
    notify(`The commands of your extensions will be missing in --help: ${messageOf(thrown)}`);
  }
}

function callOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** The host plugins of `scorel doctor`: no extensions, and only those tables of the configuration that can be read. */
async function rescuePlugins(asked: Asked) {
  return (await import("./rescue.ts")).rescuePlugins(asked);
}

/** The working directory, or the root directory when the current one was deleted, so that the command runs anyway. */
function anyDirectory(asked: string | undefined): string {
  try {
    return workingDirectory(asked);
  } catch (thrown) {
    if (asked !== undefined) throw thrown;
    return parse(process.execPath).root;
  }
}

function workingDirectory(asked: string | undefined): string {
  // The path of a deleted current directory is not known.
  const named = asked === undefined ? "The current directory" : `--cwd ${asked}`;
  try {
    const cwd = realpathSync(resolve(asked ?? "."));
    if (statSync(cwd).isDirectory()) return cwd;
  } catch (thrown) {
    const reason = codeOf(thrown) === "ENOENT" ? "it does not exist" : messageOf(thrown);
    throw errors.CONFIG_CWD({ cwd: named, reason }, { cause: thrown });
  }
  throw errors.CONFIG_CWD({ cwd: named, reason: "it is not a directory" });
}

/** The header of the host's log, which is kept in memory. */
function header() {
  return { version: 1, sessionId: newId(), deviceId: newId(), createdAt: Date.now(), epoch: newId(), meta: {} };
}

function once(say: (notice: string) => void): (notice: string) => void {
  const said = new Set<string>();
  return (notice) => {
    if (!said.has(notice)) say(notice);
    said.add(notice);
  };
}

/** Ends the process when its output is written, even if a library holds handles open. */
async function end(code: number, output: Output): Promise<void> {
  process.exitCode = code;
  await written(process.stdout);
  const { complaint } = output;
  // Most commands leave it to this function to say that their output is incomplete.
  const isIncomplete = code === 0 && complaint !== undefined;
  if (isIncomplete) process.stderr.write(`${complaint}\n`);
  await written(process.stderr);
  (await ownProcess()).exitProcess(isIncomplete ? 1 : code);
}

/** Resolves when everything that was written before has left the process, or cannot. */
function written(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((done) => stream.write("", done));
}
