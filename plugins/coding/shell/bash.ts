import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import { outputBudget } from "../budget.ts";
import { card, textOf } from "../display.ts";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { absolute, shownAs } from "../files/paths.ts";
import { answer, answering } from "../result.ts";
import type { Background } from "./background.ts";
import { detailsOf } from "./background-notices.ts";
import type { Ended } from "./command.ts";
import type { Confine } from "./confinement.ts";
import { outcomeOf } from "./outcome.ts";
import type { Kept } from "./output.ts";
import { spillFolder } from "./spill-folder.ts";

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 3_600;
const UPDATE_MS = 100;
const UPDATE_BYTES = 8 * 1024;

const parameters = z.object({
  command: z.string().optional(),
  cwd: z.string().optional(),
  timeout: z.number().positive().max(MAX_SECONDS).optional().describe("seconds, default 120"),
  background: z.boolean().optional().describe("answer an id at once"),
  poll: z.string().optional().describe("id: its new output"),
  stop: z.string().optional().describe("id: end it"),
});
type Params = z.output<typeof parameters>;
type Run = Params & { command: string };
type OnUpdate = ((partial: ToolOutput) => void) | undefined;

/** Runs a shell command. A non-zero exit code is a normal result; only a failed start or a forced end is an error. */
export function createBash(env: Environment, getBackground: GetBackground): Tool<Params> {
  return {
    name: "Bash",
    description:
      "Run a command in a new shell, without input. Long output is cut in the middle and kept whole in a file. Servers and watchers run in the background until the session ends: poll or stop their id instead of giving a command.",
    parameters,
    access: () => "exclusive",
    // Polling and stopping concern a command that was already allowed.
    approval: ({ command }) => (command === undefined ? "free" : "ask"),
    execute: (_id, params, signal, onUpdate) =>
      answering(signal, () => {
        const { command, poll, stop, background: behind } = params;
        if ([command, poll, stop].filter((given) => given !== undefined).length !== 1) throw errors.BASH_ARGUMENTS();
        if (command === undefined) return inform(params, env, getBackground);
        return behind
          ? start({ ...params, command }, env, signal, getBackground)
          : bash({ ...params, command }, env, { signal, onUpdate });
      }),
    display: (params, result) => card(titleOf(params), result, textOf(result)),
  };
}

function titleOf(params: Params): string {
  const { command, poll, stop, background } = params;
  if (command !== undefined) return `$ ${command}${background ? " &" : ""}`;
  if (poll !== undefined) return `Bash poll ${poll}`;
  if (stop !== undefined) return `Bash stop ${stop}`;
  const given = JSON.stringify(params);
  return given === "{}" ? "Bash" : `Bash ${given}`;
}

type GetBackground = () => Promise<Background>;

async function start(
  params: Run,
  env: Environment,
  signal: AbortSignal | undefined,
  getBackground: GetBackground,
): Promise<ToolOutput> {
  const cwd = await workingDirectoryOf(params.cwd, env);
  const timeoutMs = params.timeout === undefined ? undefined : params.timeout * 1000;
  const background = await getBackground();
  const confine = await confineFor(env);
  signal?.throwIfAborted();
  const id = await background.start({ command: params.command, cwd, env: env.childEnv(), confine, timeoutMs });
  const details = { background: id, goesOn: true, ...detailsOf(id, env.redact(params.command), "running") };
  return answer(`[runs in the background as ${id}]`, details);
}

/** Returns a background command's new output, after stopping it if requested. */
async function inform({ poll, stop }: Params, env: Environment, getBackground: GetBackground): Promise<ToolOutput> {
  const background = await getBackground();
  const polled = poll === undefined ? await background.stop(stop ?? "") : background.poll(poll);
  const { ended, durationMs, seconds } = polled;
  const kept = await stored(polled.kept, env);
  const state = ended ? "ended" : "running";
  const about = detailsOf(poll ?? stop ?? "", env.redact(polled.command), state);
  if (ended && (ended.ended !== "cancelled" || ended.unkilled !== undefined)) {
    const result = resultOf(ended, kept, seconds, durationMs);
    return { ...result, details: { ...Object(result.details), ...about } };
  }
  const { text, ...size } = kept;
  const said = ended ? "stopped, including its child processes" : `running for ${Math.round(durationMs / 1000)} s`;
  return answer(`${lines(text)}[${said}]`, { running: !ended, durationMs, ...size, ...about });
}

async function bash(
  params: Run,
  env: Environment,
  { signal, onUpdate }: { signal: AbortSignal | undefined; onUpdate: OnUpdate },
): Promise<ToolOutput> {
  const cwd = await workingDirectoryOf(params.cwd, env);
  const [{ runCommand }, { Output }] = await Promise.all([import("./command.ts"), import("./output.ts")]);
  const output = new Output(outputBudget(env.context()), () => spillFolder(env));
  const redactor = env.redactor();
  const updates = throttled(() => onUpdate?.(answer(output.recent(UPDATE_BYTES))));
  const started = performance.now();
  const seconds = params.timeout ?? DEFAULT_SECONDS;
  const onText = (text: string) => {
    output.write(redactor.write(text));
    updates.ask();
  };
  try {
    const ended = await runCommand(
      {
        command: params.command,
        cwd,
        env: env.childEnv(),
        confine: await confineFor(env),
        timeoutMs: seconds * 1000,
        signal,
        onText,
      },
      env.processes,
      env.running,
    );
    output.write(redactor.end());
    const durationMs = Math.round(performance.now() - started);
    return resultOf(ended, await stored(output.close(), env), seconds, durationMs);
  } finally {
    updates.stop();
  }
}

/** The output; for a long one, its file is replaced by what may be stored of it. */
async function stored(kept: Kept, env: Environment): Promise<Kept> {
  const clean = kept.spill === undefined ? undefined : env.storable();
  return clean ? (await import("./stored-output.ts")).storedOutput(kept, clean) : kept;
}

async function confineFor(env: Environment): Promise<Confine | undefined> {
  return env.bash().sandbox ? (await import("./confinement.ts")).confinement(env) : undefined;
}

/** The working directory of a command, as an absolute path. Throws BASH_CWD or BASH_HOME_GONE when it is not an existing folder. */
async function workingDirectoryOf(named: string | undefined, env: Environment): Promise<string> {
  const { workspace } = env;
  const cwd = named === undefined ? workspace.cwd : absolute(named, workspace);
  const info = await env.files.stat(cwd);
  if (info?.kind === "folder") return cwd;
  if (cwd === workspace.cwd && !info) throw errors.BASH_HOME_GONE({ cwd });
  throw errors.BASH_CWD({ cwd: shownAs(cwd, workspace.cwd), reason: info ? "is not a directory" : "does not exist" });
}

function resultOf(ended: Ended, kept: Kept, seconds: number, durationMs: number): ToolOutput {
  const { exitCode, signal, leftOpen } = ended;
  const { text, ...size } = kept;
  const details = { exitCode, signal, ...(ended.ended && { ended: ended.ended }), durationMs, ...size };
  const left = leftOpen && !ended.ended ? "\n[processes it started in the background still run]" : "";
  return {
    ...answer(`${lines(text)}[${outcomeOf(ended, seconds)}]${left}`, details),
    ...(ended.ended && { isError: true }),
  };
}

function lines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Limits calls of `work` to one per interval; the last request is never dropped. */
function throttled(work: () => void): { ask(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    ask() {
      timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, UPDATE_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
