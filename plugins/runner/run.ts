import * as fs from "node:fs";
import { join } from "node:path";
import type { SessionArtifacts } from "@scorel/artifacts/contract";
import { type BaseContext, newId } from "@scorel/kernel";
import type { SandboxEnd, SandboxJob, SandboxMount, SandboxOptions, SandboxRun } from "@scorel/sandbox/contract";
import type { Skill } from "@scorel/skills/contract";
import { programOf } from "./command.ts";
import type { RunnerConfig } from "./config.ts";
import type { RunRequest, RunResult } from "./contract.ts";
import { errors } from "./errors.ts";
import { placeInput } from "./inputs.ts";
import { Kept } from "./kept.ts";
import { foldersByName, type Layout, makeLayout } from "./layout.ts";
import { type Metadata, readMetadata, writeMetadata } from "./metadata.ts";
import { isWithin, workingDirectory } from "./paths.ts";
import { type Keeping, keepFiles } from "./result.ts";
import { type Staged, stage } from "./staging.ts";
import { workspaceFolder } from "./workspace-folder.ts";

const OUTPUT_BYTES = 16_384;
const SECONDS = 300;

export type RunnerContext = BaseContext<RunnerConfig>;

/** Runs a command of a skill in the session's workspace; a command that fails is a result. Throws RUN errors. */
export async function runSkill(ctx: RunnerContext, request: RunRequest, signal?: AbortSignal): Promise<RunResult> {
  const { stdin } = request;
  const { program, finish } = await startSkill(ctx, request, { signal, interactive: stdin !== undefined });
  await feed(program, stdin);
  return finish();
}

/** A program of a skill that runs. */
export interface StartedSkill {
  program: SandboxRun;
  /** Waits for its end, then collects its files: to be called once. */
  finish(): Promise<RunResult>;
}

/** Starts what `runSkill` runs, and leaves the waiting to the caller. Throws RUN errors. */
export async function startSkill(
  ctx: RunnerContext,
  request: RunRequest,
  options: SandboxOptions,
): Promise<StartedSkill> {
  const ready = prepare(ctx, request);
  const outcome = { stdout: new Kept(OUTPUT_BYTES), stderr: new Kept(OUTPUT_BYTES) };
  const program = await execute(ctx, request, ready, {
    ...options,
    onOutput(text, from) {
      outcome[from].write(text);
      options.onOutput?.(text, from);
    },
  });
  return { program, finish: async () => resultOf(request, ready, outcome, await program.ended) };
}

type Outcome = Record<"stdout" | "stderr", Kept>;

async function resultOf(request: RunRequest, ready: Ready, outcome: Outcome, end: SandboxEnd): Promise<RunResult> {
  const { layout, run, artifacts, lineage, hide } = ready;
  const result: RunResult = {
    output_files: [],
    stdout: hide(String(outcome.stdout)),
    stderr: hide(end.failed ?? String(outcome.stderr)),
    exit_code: end.exitCode ?? -1,
    timed_out: end.ended === "timeout",
    duration_ms: end.durationMs,
  };
  const cut = Object.entries(outcome).flatMap(([name, { truncated }]) => (truncated ? [`${name} truncated`] : []));
  const stopped = end.ended && end.ended !== "timeout" ? [`the program was ended: ${endings[end.ended]}`] : [];
  const told = await keepFiles(result, request, { layout, run, hide, artifacts, lineage });
  const warnings = [...cut, ...stopped, ...told];
  return { ...result, ...(warnings.length > 0 && { warnings }) };
}

/** Everything that stands ready before a program starts. */
interface Ready extends Keeping {
  skill: Skill;
  staged: Staged;
  folders: Readonly<Record<string, string>>;
  argv: [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
}

function prepare(ctx: RunnerContext, request: RunRequest): Ready {
  const skill = skillOf(ctx, request);
  const argv = programOf(request.command, ctx.config, request.env ?? {});
  const layout = makeLayout(workspaceFolder(ctx));
  const metadata = readMetadata(layout.metadata);
  const staged = stage(layout, skill, metadata.skills[skill.name]?.digest);
  metadata.skills[skill.name] = { digest: staged.digest, folder: staged.folder };
  const artifacts = ctx.find("artifacts")?.of(ctx.session);
  const inputs = place(ctx, request, { layout, metadata, artifacts });
  writeMetadata(layout.metadata, metadata);
  const run = newRun(layout);
  const folders = foldersByName(layout, run);
  const cwd = workingDirectory(request.cwd ?? "", { root: layout.root, skill: staged.folder, folders });
  if (!isWithin(layout.skills, cwd)) fs.mkdirSync(cwd, { recursive: true });
  const secrets = declared(ctx.config, skill.name);
  const lineage = {
    by: "runner",
    skill: { name: skill.name, digest: staged.digest },
    command: request.command,
    inputs,
  };
  const env = { ...environment(skill, staged, folders), ...secrets, ...request.env };
  const hide = hider(ctx, Object.values(secrets));
  return { skill, staged, folders, argv, cwd, env, layout, run, artifacts, lineage, hide };
}

async function execute(
  ctx: RunnerContext,
  { timeout }: RunRequest,
  { layout, staged, skill, argv, cwd, env }: Ready,
  options: SandboxOptions,
): Promise<SandboxRun> {
  const sandbox = ctx.find("sandbox");
  if (!sandbox) throw errors.RUN_NO_SANDBOX();
  const job: SandboxJob = {
    argv,
    cwd,
    env,
    mounts: mountsOf(layout, staged),
    network: ctx.config.network.includes(skill.name),
    limits: { seconds: timeout !== undefined && timeout > 0 ? timeout : SECONDS },
  };
  return sandbox.start(job, options);
}

const endings = {
  cancelled: "it was cancelled",
  killed: "it was killed",
  memory: "it used more memory than it may",
  processes: "it started more processes than it may",
} as const;

function skillOf(ctx: RunnerContext, { skill: given, command }: RunRequest): Skill {
  const name = given.trim();
  if (name === "" || command.trim() === "") throw errors.RUN_ARGUMENTS();
  const skills = ctx.find("skills")?.look.skills;
  if (!skills) throw errors.RUN_NO_SKILLS();
  const skill = skills.find((each) => each.name === name);
  if (!skill) throw errors.RUN_SKILL({ name, known: skills.map((each) => each.name) });
  return skill;
}

interface Ground {
  layout: Layout;
  metadata: Metadata;
  artifacts: SessionArtifacts | undefined;
}

/** Puts the inputs in their places, and notes them; answers them as their lineage tells of them. */
function place(ctx: RunnerContext, { inputs = [] }: RunRequest, { layout, metadata, artifacts }: Ground) {
  const workspace = ctx.find("workspace");
  const host = [...(workspace ? [workspace.root] : []), ...ctx.config.host].flatMap(realFolder);
  const skills = Object.fromEntries(Object.entries(metadata.skills).map(([name, { folder }]) => [name, folder]));
  return inputs.map((input) => {
    const record = placeInput(input, { layout, artifacts, host, skills, earlier: metadata.inputs });
    metadata.inputs = [...metadata.inputs.filter(({ to }) => to !== record.to), record];
    return { from: record.from, to: record.to, sha256: record.sha256 };
  });
}

function realFolder(path: string): string[] {
  try {
    return [fs.realpathSync(path)];
  } catch {
    return []; // A folder that is not there holds no inputs.
  }
}

/** Every run has a folder of its own, also two in one moment. */
function newRun({ runs }: Layout): string {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace("Z", "");
  const folder = join(runs, `run_${time}_${newId().slice(0, 6)}`);
  fs.mkdirSync(folder);
  return folder;
}

function environment(skill: Skill, { venv }: Staged, folders: Readonly<Record<string, string>>) {
  return {
    ...folders,
    SKILL_NAME: skill.name,
    PATH: `${join(venv, "bin")}:/usr/local/bin:/usr/bin:/bin`,
    VIRTUAL_ENV: venv,
  };
}

/** The variables of the user's environment that this skill's programs get. */
function declared({ env }: RunnerConfig, skill: string): Record<string, string> {
  const names = Object.hasOwn(env, skill) ? (env[skill] ?? []) : [];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]])),
  );
}

/** The skill itself read-only, and with it all that are staged; what its programs install, and the rest, to be written. */
function mountsOf({ root, skills }: Layout, { venv }: Staged): SandboxMount[] {
  return [
    { path: root, access: "write" },
    { path: skills, access: "read" },
    { path: venv, access: "write" },
  ];
}

async function feed(program: SandboxRun, stdin: string | undefined): Promise<void> {
  if (stdin === undefined) return;
  // A program may end without reading what it was told; how it ended says enough.
  await program.write(stdin).catch(() => {});
  program.closeStdin();
}

/** Shorter values occur by chance. */
const SHORTEST_SECRET = 4;

function hider(ctx: RunnerContext, values: readonly string[]): (text: string) => string {
  const hidden = values.filter((value) => value.length >= SHORTEST_SECRET);
  return (text) => {
    const known = ctx.find("secrets")?.redact(text) ?? text;
    return hidden.reduce((all, value) => all.replaceAll(value, "[redacted]"), known);
  };
}
