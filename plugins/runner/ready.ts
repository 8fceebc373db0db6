import * as fs from "node:fs";
import { join, relative } from "node:path";
import type { SessionArtifacts } from "@scorel/artifacts/contract";
import { newId } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { Skill } from "@scorel/skills/contract";
import { FOLDERS, hasLists, programOf } from "./command.ts";
import type { RunnerContext } from "./config.ts";
import type { RunRequest } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Grants, grantsOf } from "./grants.ts";
import { inHeld } from "./held.ts";
import { type Hiding, hiding } from "./hiding.ts";
import { placeInput } from "./inputs.ts";
import { foldersByName, type Layout, makeLayout } from "./layout.ts";
import { type Metadata, readMetadata, writeMetadata } from "./metadata.ts";
import { workingDirectory } from "./paths.ts";
import type { Keeping } from "./result.ts";
import { type Staged, stage } from "./staging.ts";
import { Steps } from "./steps.ts";
import { workspaceFolder } from "./workspace-folder.ts";

/** Everything that stands ready before a program starts. */
export interface Ready extends Keeping, Hiding {
  skill: Skill;
  staged: Staged;
  folders: Readonly<Record<string, string>>;
  argv: [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  metadata: Metadata;
  /** Names of variables of the user's environment that the program gets. */
  declared: readonly string[];
  grants: Grants;
  /** What SOURCE_DATE_EPOCH is, in seconds: by default, when it starts. */
  epoch: number;
  /** The call of the tool. */
  toolCallId: string | undefined;
}

/** What a run takes elsewhere than a call of the tool does. */
export interface Place {
  /** Instead of the session's skill of that name. */
  skill: Skill;
  /** A real folder, instead of that of the session's workspace. */
  base: string;
  /** Further folders and files that `host://` inputs may be. */
  host: readonly string[];
  epoch: number;
  /** Variables beside the usual ones; those of the request count more. */
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
  const { hide, redactor } = hiding(ctx, Object.values(secrets));
  // Nothing may be waited for between reading the metadata and writing it: runs at once share them.
  const mounted = await isMounted(ctx);
  const steps = new Steps(await ctx.find("spans")?.below(toolCallId), hide);
  const layout = steps.take("workspace.create", { exec_id: ctx.session.id }, (step) => {
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
  const run = newRun(layout);
  const since = fs.statSync(run).ctimeMs;
  const folders = foldersByName(layout, run);
  const cwd = workingDirectory(request.cwd ?? "", { root: layout.root, skill: staged.folder, folders });
  if (!isWithin(layout.skills, cwd)) inHeld(layout.root, cwd, "cwd", () => {}, true);
  const lineage = {
    by: "runner",
    skill: { name: skill.name, digest: staged.digest },
    command: hide(request.command),
    inputs,
  };
  const epoch = elsewhere.epoch ?? Math.floor(Date.now() / 1000);
  const env = {
    ...environment(skill, staged, folders, epoch),
    ...pathOf(ctx, staged),
    ...elsewhere.env,
    ...secrets,
    ...request.env,
  };
  return {
    ...{ skill, staged, folders, argv, cwd, env, layout, since, artifacts, lineage, metadata, epoch, hide, steps },
    redactor,
    run: relative(layout.root, run),
    declared: Object.keys(secrets),
    grants,
    toolCallId,
  };
}

/** Puts a skill that the model may run into the session's workspace, for a run that is likely to follow. Throws RUN errors. */
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

/** What skills are staged with. */
interface Staging {
  layout: Layout;
  metadata: Metadata;
  steps: Steps;
  isMounted: boolean;
}

/** Whether programs get staged skills through a read-only mount: `local` has none. */
async function isMounted(ctx: RunnerContext): Promise<boolean> {
  const sandbox = ctx.find("sandbox");
  if (!sandbox) throw errors.RUN_NO_SANDBOX();
  return (await sandbox.executor()) !== "local";
}

/** Puts a skill into the workspace, and notes what it was. */
function stageSkill(ctx: RunnerContext, skill: Skill, { layout, metadata, steps, isMounted }: Staging): Staged {
  const { name, source } = skill;
  const before = metadata.skills[name];
  return steps.take("workspace.stage", { host_path: skill.files }, (step) => {
    const staged = stage(layout, skill, { before, sums: ctx.find("skills")?.sums(skill), isMounted });
    const { digest, folder, seen } = staged;
    metadata.skills[name] = { digest, folder, seen, source };
    // What was copied by an earlier run is mounted again, and that is all.
    step.set({ to: relative(layout.root, folder), mount_used: digest === before?.digest });
    return staged;
  });
}

/** The skills that inputs are taken from, but for the one that runs. One that there is no more is taken from the workspace. */
function skillsAmongInputs(ctx: RunnerContext, { skill: own, inputs = [] }: RunRequest, forModel: boolean): Skill[] {
  const named = inputs.flatMap(({ from }) => /^skill:\/\/([^/]+)/.exec(from)?.[1] ?? []);
  return usable(ctx, forModel).filter(({ name }) => name !== own.trim() && named.includes(name));
}

function skillOf(ctx: RunnerContext, { skill: given, command }: RunRequest, forModel: boolean): Skill {
  const name = given.trim();
  if (name === "" || command.trim() === "") throw errors.RUN_ARGUMENTS();
  const skills = usable(ctx, forModel);
  const skill = skills.find((each) => each.name === name);
  if (!skill) throw errors.RUN_SKILL({ name, known: skills.map((each) => each.name) });
  return skill;
}

function usable(ctx: RunnerContext, forModel: boolean): Skill[] {
  const all = ctx.find("skills")?.look.skills;
  if (!all) throw errors.RUN_NO_SKILLS();
  return all.filter((each) => !each.userOnly || !forModel || wasLoaded(ctx, each));
}

/** Only a person loads a skill that is kept from the model, and what was loaded may be run. */
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

/** Puts the inputs in their places, and notes them; answers them as their lineage tells of them. */
function place(
  ctx: RunnerContext,
  { inputs = [] }: RunRequest,
  { layout, metadata, artifacts, steps, ...more }: Ground,
) {
  const host = hostFolders(ctx, more.host);
  const skills = Object.fromEntries(Object.entries(metadata.skills).map(([name, { folder }]) => [name, folder]));
  return inputs.map((input) => {
    const ground = { layout, artifacts, host, skills, earlier: metadata.inputs };
    const record = steps.take("workspace.stage", { path: input.from, to: input.to }, (step) => {
      const placed = placeInput(input, ground);
      step.set({ to: placed.to, mount_used: false });
      return placed;
    });
    metadata.inputs = [...metadata.inputs.filter(({ to }) => to !== record.to), record];
    const { ts: _ts, ...known } = record;
    return known;
  });
}

/** Real folders and files that `host://` inputs may be: the project, those of the configuration, and more. */
export function hostFolders(ctx: RunnerContext, more: readonly string[] = []): string[] {
  const workspace = ctx.find("workspace");
  return [...(workspace ? [workspace.root] : []), ...ctx.config.host, ...more].flatMap(realFolder);
}

function realFolder(path: string): string[] {
  try {
    return [fs.realpathSync(path)];
  } catch {
    return []; // A folder that is not there holds no inputs.
  }
}

/** Every run has a folder of its own, also two in one moment. */
function newRun({ root, runs }: Layout): string {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace("Z", "");
  const name = `run_${time}_${newId().slice(0, 6)}`;
  inHeld(root, runs, "run", (held) => fs.mkdirSync(held.path(name)));
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

/** Where lists judge programs, a name is the file that was judged, and none that a program has put before it. */
function pathOf({ config }: RunnerContext, { venv }: Staged): { PATH: string } {
  return { PATH: [...(hasLists(config) ? [] : [join(venv, "bin")]), ...FOLDERS].join(":") };
}
