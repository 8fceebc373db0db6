import * as fs from "node:fs";
import { join, relative } from "node:path";
import type { SessionArtifacts } from "@scorel/artifacts/contract";
import { newId } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { Skill, SkillsService } from "@scorel/skills/contract";
import type { RunnerContext } from "../config.ts";
import type { RunRequest } from "../contract.ts";
import { errors } from "../errors.ts";
import { type Grants, grantsOf } from "../grants.ts";
import { type Metadata, readMetadata, writeMetadata } from "../replay/metadata.ts";
import { type Staged, stage } from "../staging/staging.ts";
import { placeInput } from "../workspace/inputs.ts";
import { foldersByName, type Layout, makeLayout } from "../workspace/layout.ts";
import { inOpenFolder } from "../workspace/open-folder.ts";
import { workingDirectory } from "../workspace/paths.ts";
import { workspaceFolder } from "../workspace/workspace-folder.ts";
import { FOLDERS, hasLists, programOf } from "./command.ts";
import { type Redaction, redactionFor } from "./redaction.ts";
import type { Keeping } from "./result.ts";
import { Steps } from "./steps.ts";

/** Everything that is prepared before a program starts. */
export interface Ready extends Keeping, Redaction {
  skill: Skill;
  staged: Staged;
  folders: Readonly<Record<string, string>>;
  argv: [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  metadata: Metadata;
  /** Names of the user's environment variables that the program gets. */
  declared: readonly string[];
  grants: Grants;
  /** The value of SOURCE_DATE_EPOCH in seconds; by default the time of the start. */
  epoch: number;
  /** The id of the tool call. */
  toolCallId: string | undefined;
}

/** Replaces defaults of the session for one run. */
export interface Place {
  /** Replaces the session's skill of that name. */
  skill: Skill;
  /** A real folder that replaces the session's workspace. */
  base: string;
  /** Additional files and folders that `host://` inputs may come from. */
  host: readonly string[];
  epoch: number;
  /** Additional variables; the request's own variables override them. */
  env: Readonly<Record<string, string>>;
}

/** Stages the skill and places the inputs. Throws RUN errors. */
export async function prepare(
  ctx: RunnerContext,
  request: RunRequest,
  { toolCallId, ...elsewhere }: Partial<Place> & { toolCallId?: string | undefined } = {},
): Promise<Ready> {
  const skill = elsewhere.skill ?? skillOf(ctx, request, toolCallId !== undefined);
  const argv = programOf(request.command, ctx.config, request.env ?? {});
  const grants = grantsOf(ctx, skill);
  const { secrets } = grants;
  const { hide, redactor } = redactionFor(ctx, Object.values(secrets));
  // There must be no await between reading and writing the metadata, since concurrent runs share it.
  const mounted = await isMounted(ctx);
  const steps = new Steps(await ctx.find("spans")?.below(toolCallId), hide);
  const layout = steps.record("workspace.create", { exec_id: ctx.session.id }, (step) => {
    const made = makeLayout(elsewhere.base ?? workspaceFolder(ctx, steps));
    step.set({ path: made.root });
    return made;
  });
  const metadata = readMetadata(layout.metadata);
  const staging = { layout, metadata, steps, isMounted: mounted };
  for (const other of skillsAmongInputs(ctx, request, toolCallId !== undefined)) stageSkill(ctx, other, staging);
  const staged = stageSkill(ctx, skill, staging);
  const artifacts = ctx.find("artifacts")?.of(ctx.session);
  const inputs = place(ctx, request, { layout, metadata, artifacts, host: elsewhere.host ?? [], steps });
  writeMetadata(layout.metadata, metadata);
  const command = hide(request.command);
  const lineage = { by: "runner", skill: { name: skill.name, digest: staged.digest }, command, inputs };
  const epoch = elsewhere.epoch ?? Math.floor(Date.now() / 1000);
  const { folders, ...begun } = beginRun(layout, staged, request);
  const env = {
    ...environment(skill, staged, folders, epoch),
    ...pathOf(ctx, staged),
    ...elsewhere.env,
    ...secrets,
    ...request.env,
  };
  return {
    ...{ skill, staged, folders, argv, env, layout, artifacts, lineage, metadata, epoch, hide, steps },
    ...begun,
    redactor,
    declared: Object.keys(secrets),
    grants,
    toolCallId,
  };
}

/** Creates the folder of a run. Returns it with the run's other folders and its working directory. */
function beginRun(layout: Layout, { folder: skill }: Staged, request: RunRequest) {
  const { root, skills } = layout;
  const run = newRun(layout);
  const since = fs.statSync(run).ctimeMs;
  const folders = foldersByName(layout, run);
  const cwd = workingDirectory(request.cwd ?? "", { root, skill, folders });
  if (!isWithin(skills, cwd)) inOpenFolder(root, cwd, "cwd", () => {}, true);
  return { run: relative(root, run), since, folders, cwd };
}

/** Stages a skill that the model may run, before a run that is likely to follow. Throws RUN errors. */
export async function stageOne(ctx: RunnerContext, name: string): Promise<void> {
  const skill = usable(ctx, true).find((each) => each.name === name);
  if (!skill) return;
  const mounted = await isMounted(ctx);
  const steps = new Steps(undefined, (text) => text);
  const layout = makeLayout(workspaceFolder(ctx, steps));
  const metadata = readMetadata(layout.metadata);
  stageSkill(ctx, skill, { layout, metadata, steps, isMounted: mounted });
  writeMetadata(layout.metadata, metadata);
}

/** The arguments for staging a skill. */
interface Staging {
  layout: Layout;
  metadata: Metadata;
  steps: Steps;
  isMounted: boolean;
}

/** Whether programs see staged skills through a read-only mount; the executor `local` has no mounts. */
async function isMounted(ctx: RunnerContext): Promise<boolean> {
  const sandbox = ctx.find("sandbox");
  if (!sandbox) throw errors.RUN_NO_SANDBOX();
  return (await sandbox.executor()) !== "local";
}

/** Stages a skill and records its digest. */
function stageSkill(ctx: RunnerContext, skill: Skill, { layout, metadata, steps, isMounted }: Staging): Staged {
  const { name, source } = skill;
  const before = metadata.skills[name];
  return steps.record("workspace.stage", { host_path: skill.files }, (step) => {
    const staged = stage(layout, skill, { before, sums: ctx.find("skills")?.sums(skill), isMounted });
    const { digest, folder, seen } = staged;
    metadata.skills[name] = { digest, folder, seen, source };
    // A skill that an earlier run copied is only mounted again.
    step.set({ to: relative(layout.root, folder), mount_used: digest === before?.digest });
    return staged;
  });
}

/**
 * The other skills that inputs come from. A skill that no longer exists is taken from the workspace, where an earlier
 * run copied it.
 */
function skillsAmongInputs(ctx: RunnerContext, { skill: own, inputs = [] }: RunRequest, forModel: boolean): Skill[] {
  const named = inputs.flatMap(({ from }) => /^skill:\/\/([^/]+)/.exec(from)?.[1] ?? []);
  return usable(ctx, forModel).filter(({ name }) => name !== own.trim() && named.includes(name));
}

function skillOf(ctx: RunnerContext, { skill: given, command }: RunRequest, forModel: boolean): Skill {
  const name = given.trim();
  if (name === "" || command.trim() === "") throw errors.RUN_ARGUMENTS();
  const skills = usable(ctx, forModel);
  const skill = skills.find((each) => each.name === name);
  if (!skill) throw serviceOf(ctx).missing(name, skills);
  return skill;
}

function serviceOf(ctx: RunnerContext): SkillsService {
  const skills = ctx.find("skills");
  if (!skills) throw errors.RUN_NO_SKILLS();
  return skills;
}

function usable(ctx: RunnerContext, forModel: boolean): Skill[] {
  return serviceOf(ctx).look.skills.filter((each) => !each.userOnly || !forModel || wasLoaded(ctx, each));
}

/** Only a person can load a user-only skill; once loaded, the model may run it. */
function wasLoaded({ session }: RunnerContext, { name }: Skill): boolean {
  return Object.keys(session.projection("skillContents")).some((key) =>
    /^\S+ (.*)$/s.exec(key)?.[1]?.startsWith(`${name}/`),
  );
}

interface Ground {
  layout: Layout;
  metadata: Metadata;
  artifacts: SessionArtifacts | undefined;
  host: readonly string[];
  steps: Steps;
}

/** Places the inputs, records them, and returns their lineage entries. */
function place(
  ctx: RunnerContext,
  { inputs = [] }: RunRequest,
  { layout, metadata, artifacts, steps, ...more }: Ground,
) {
  const host = hostFolders(ctx, more.host);
  const skills = Object.fromEntries(Object.entries(metadata.skills).map(([name, { folder }]) => [name, folder]));
  return inputs.map((input) => {
    const ground = { layout, artifacts, host, skills, earlier: metadata.inputs };
    const record = steps.record("workspace.stage", { path: input.from, to: input.to }, (step) => {
      const placed = placeInput(input, ground);
      step.set({ to: placed.to, mount_used: false });
      return placed;
    });
    metadata.inputs = [...metadata.inputs.filter(({ to }) => to !== record.to), record];
    const { ts: _ts, ...known } = record;
    return known;
  });
}

/** Real paths that `host://` inputs may come from: the project, configured folders, and `more`. */
export function hostFolders(ctx: RunnerContext, more: readonly string[] = []): string[] {
  const workspace = ctx.find("workspace");
  return [...(workspace ? [workspace.root] : []), ...ctx.config.host, ...more].flatMap(realFolder);
}

function realFolder(path: string): string[] {
  try {
    return [fs.realpathSync(path)];
  } catch {
    return []; // A folder that does not exist has no inputs.
  }
}

/** Creates a folder for a run, unique even for runs that start at the same time. */
function newRun({ root, runs }: Layout): string {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace("Z", "");
  const name = `run_${time}_${newId().slice(0, 6)}`;
  inOpenFolder(root, runs, "run", (dir) => fs.mkdirSync(dir.path(name)));
  return join(runs, name);
}

function environment(skill: Skill, { venv }: Staged, folders: Readonly<Record<string, string>>, epoch: number) {
  return {
    ...folders,
    SKILL_NAME: skill.name,
    VIRTUAL_ENV: venv,
    SOURCE_DATE_EPOCH: String(epoch),
  };
}

/**
 * The PATH of a program. With allow or deny lists it excludes programs installed by the skill, so that a name is the file that
 * was judged.
 */
function pathOf({ config }: RunnerContext, { venv }: Staged): { PATH: string } {
  return { PATH: [...(hasLists(config) ? [] : [join(venv, "bin")]), ...FOLDERS].join(":") };
}
