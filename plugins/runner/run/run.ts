import { relative } from "node:path";
import type { SpanAttributes } from "@scorel/diagnostics/contract";
import type {
  ExecutorName,
  SandboxEnd,
  SandboxJob,
  SandboxMount,
  SandboxOptions,
  SandboxRun,
} from "@scorel/sandbox/contract";
import type { RunnerContext } from "../config.ts";
import type { RunRequest, RunResult } from "../contract.ts";
import { errors } from "../errors.ts";
import { beginRecord, lineageOf } from "../replay/record.ts";
import type { Staged } from "../staging/staging.ts";
import type { Layout } from "../workspace/layout.ts";
import { missingPackage } from "./missing.ts";
import { type OnText, Outcome } from "./outcome.ts";
import { type Place, prepare, type Ready } from "./ready.ts";
import { keepFiles } from "./result.ts";

const SECONDS = 300;

/** Runs a command of a skill in the session's workspace. A command that fails is a result, not an error. Throws RUN errors. */
export async function runSkill(
  ctx: RunnerContext,
  request: RunRequest,
  toolCallId: string,
  options: Pick<StartOptions, "signal" | "onText"> = {},
): Promise<RunResult> {
  const { stdin } = request;
  const interactive = stdin !== undefined;
  const { program, finish } = await startSkill(ctx, request, { ...options, interactive }, { toolCallId });
  await feed(program, stdin);
  return finish();
}

export interface StartOptions extends SandboxOptions {
  onText?: OnText;
}

/** A skill's program that has been started. */
export interface StartedSkill {
  program: SandboxRun;
  ready: Ready;
  /** Waits for the end, then collects the files. Call it once. `written` returns the input that was written after the start. */
  finish(written?: () => string): Promise<RunResult>;
}

/** Starts a program like `runSkill` does, but leaves the waiting to the caller. Throws RUN errors. */
export async function startSkill(
  ctx: RunnerContext,
  request: RunRequest,
  { onText, ...options }: StartOptions,
  place: Partial<Place> & { toolCallId?: string | undefined } = {},
): Promise<StartedSkill> {
  const ready = await prepare(ctx, request, place).catch(failed);
  const recording = beginRecord(ctx, request, ready);
  const outcome = new Outcome(ready, onText);
  const onOutput: SandboxOptions["onOutput"] = (text, from) => {
    outcome.write(text, from);
    options.onOutput?.(text, from);
  };
  const { program, ended } = await watched(request, ready, outcome, () =>
    execute(ctx, request, ready, { ...options, onOutput }),
  );
  const finish: StartedSkill["finish"] = async (written) => {
    const end = await ended;
    const told = written === undefined ? request : { ...request, stdin: written() };
    const made = lineageOf(ctx, told, ready, recording, { ...end, executor: program.executor });
    return resultOf(request, { ...ready, ...made }, outcome, { ...end, executor: program.executor });
  };
  return { program, ready, finish };
}

/** Reports file system errors, such as a full disk, as RUN_DISK. */
function failed(thrown: unknown): never {
  const { errno, message } = thrown as NodeJS.ErrnoException;
  throw errno === undefined ? thrown : errors.RUN_DISK({ reason: message }, { cause: thrown });
}

/** Records a span from the start of a program to its end, and completes its outcome then. */
function watched(request: RunRequest, ready: Ready, outcome: Outcome, start: () => Promise<SandboxRun>) {
  return new Promise<{ program: SandboxRun; ended: Promise<SandboxEnd> }>((resolve, reject) => {
    const ended = ready.steps.record("workspace.run", stepOf(request, ready), async (step) => {
      const program = await start();
      resolve({ program, ended });
      const end = await program.ended;
      outcome.end();
      step.set({ exit_code: end.exitCode ?? -1, timed_out: end.ended === "timeout" });
      return end;
    });
    ended.catch(reject);
  });
}

function stepOf({ command }: RunRequest, { cwd, layout }: Ready): SpanAttributes {
  return { cmd: command, cwd: relative(layout.root, cwd) };
}

async function resultOf(
  request: RunRequest,
  ready: Ready & { warning?: string },
  outcome: Outcome,
  end: SandboxEnd & { executor: ExecutorName },
): Promise<RunResult> {
  const { hide, skill, staged, grants } = ready;
  const result: RunResult = {
    output_files: [],
    stdout: String(outcome.stdout),
    stderr: end.failed === undefined ? String(outcome.stderr) : hide(end.failed),
    exit_code: end.exitCode ?? -1,
    timed_out: end.ended === "timeout",
    duration_ms: end.durationMs,
  };
  const cut = outcome.truncated.map((name) => `${name} truncated`);
  const stopped = end.ended && end.ended !== "timeout" ? [`the program was ended: ${endings[end.ended]}`] : [];
  const told = await keepFiles(result, request, ready);
  const failed = { skill: skill.name, stderr: result.stderr, files: staged.files.map(({ path }) => path) };
  const missing =
    result.exit_code > 0 && missingPackage({ ...failed, network: grants.network, executor: end.executor });
  const others = [grants.withheld, ready.warning, missing || undefined].flatMap((each) => each ?? []);
  const warnings = [...cut, ...stopped, ...told, ...others];
  return { ...result, ...(warnings.length > 0 && { warnings }) };
}

async function execute(
  ctx: RunnerContext,
  { timeout }: RunRequest,
  { layout, staged, argv, cwd, env, grants }: Ready,
  options: SandboxOptions,
): Promise<SandboxRun> {
  const sandbox = ctx.find("sandbox");
  if (!sandbox) throw errors.RUN_NO_SANDBOX();
  const job: SandboxJob = {
    argv,
    cwd,
    env,
    mounts: mountsOf(layout, staged),
    network: grants.network,
    limits: { seconds: timeout !== undefined && timeout > 0 ? timeout : SECONDS },
  };
  return sandbox.start(job, options);
}

const endings = {
  cancelled: "it was cancelled",
  killed: "it was killed",
  memory: "it used more memory than allowed",
  processes: "it started more processes than allowed",
} as const;

/** All staged skills are read-only; the workspace and the skill's `.venv` are writable. */
function mountsOf({ root, skills }: Layout, { venv }: Staged): SandboxMount[] {
  return [
    { path: root, access: "write" },
    { path: skills, access: "read" },
    { path: venv, access: "write" },
  ];
}

async function feed(program: SandboxRun, stdin: string | undefined): Promise<void> {
  if (stdin === undefined) return;
  // A program that ends without reading its input is not an error here; its exit code says enough.
  await program.write(stdin).catch(() => {});
  program.closeStdin();
}
