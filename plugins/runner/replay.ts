import * as fs from "node:fs";
import { join } from "node:path";
import type { ArtifactVersion, Replay, ReplayChange } from "@scorel/artifacts/contract";
import type { BlobStore } from "@scorel/blobs/contract";
import type { OperationContext } from "@scorel/host/contract";
import { messageOf } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type { Skill } from "@scorel/skills/contract";
import { compare, readFrom, readKept } from "./compare.ts";
import type { RunnerContext } from "./config.ts";
import type { RunRequest } from "./contract.ts";
import { errors } from "./errors.ts";
import { placeInput } from "./inputs.ts";
import { Kept } from "./kept.ts";
import { makeLayout } from "./layout.ts";
import { hostFolders, type Place } from "./ready.ts";
import { outputsOf, type RunRecord, runRecord } from "./record.ts";
import { startSkill } from "./run.ts";
import { keptSkill } from "./skill-files.ts";
import { digestNow } from "./staging.ts";
import { restore } from "./states.ts";
import { passingFolder } from "./workspace-folder.ts";

const STDERR_BYTES = 2_048;

/** What is told of a difference as it is found. */
type Tell = (change: ReplayChange) => void;

/** Runs again what made an artifact, in a workspace of its own, and compares what it leaves. Throws RUN errors. */
export async function replay(
  ctx: RunnerContext,
  artifact: ArtifactVersion,
  { look, left, keep = false }: Pick<OperationContext, "look"> & { left: AbortSignal; keep?: boolean | undefined },
): Promise<Replay> {
  const { record, store } = recordOf(ctx, artifact);
  const folder = passingFolder();
  const changed: ReplayChange[] = [];
  try {
    const given = await valuesOf(record, look);
    const again = await runAgain(ctx, { record, store, given, folder: folder.path, signal: left }, (change) =>
      changed.push(change),
    );
    return {
      name: artifact.name,
      version: artifact.version,
      same: again.exitCode.before === again.exitCode.now && again.outputs.every(({ same }) => same),
      ...again,
      changed,
      ...(keep && { workspace: makeLayout(folder.path).root }),
    };
  } finally {
    if (!keep) folder.remove();
  }
}

function recordOf(ctx: RunnerContext, { name, lineage }: ArtifactVersion): { record: RunRecord; store: BlobStore } {
  const store = ctx.find("blobs");
  const hash = lineage?.run?.sha256;
  if (!store || hash === undefined) throw errors.RUN_REPLAY({ name, reason: "nothing says how it was run" });
  const found = store.readList(hash);
  if (found === undefined) throw errors.RUN_REPLAY({ name, reason: `how it was run is not kept here (${hash})` });
  const { data, error } = runRecord.safeParse(found);
  if (!data) throw errors.RUN_REPLAY({ name, reason: `what says how it was run cannot be read: ${messageOf(error)}` });
  return { record: data, store };
}

interface Again {
  record: RunRecord;
  store: BlobStore;
  /** Values of variables that the call gave. */
  given: Readonly<Record<string, string>>;
  folder: string;
  signal: AbortSignal;
}

async function runAgain(ctx: RunnerContext, again: Again, tell: Tell) {
  const { record, store, given, folder, signal } = again;
  await ctx.find("skills")?.refresh();
  const skill = skillAgain(ctx, record, join(folder, "skill"), store, tell);
  const layout = makeLayout(folder);
  placeAgain(ctx, again, tell);
  const { command, cwd, timeout, stdin } = record;
  const input = stdin && store.read(stdin.sha256)?.toString("utf8");
  const request: RunRequest = { skill: skill.name, command, env: { ...given } };
  if (cwd !== undefined) request.cwd = cwd;
  if (timeout !== undefined) request.timeout = timeout;
  const said = new Kept(STDERR_BYTES);
  const options = { signal, interactive: stdin !== undefined };
  const onOutput = (text: string, from: string) => (from === "stderr" ? said.write(text) : undefined);
  const place: Partial<Place> = { skill, base: folder, epoch: record.epoch };
  const { program, ready } = await startSkill(ctx, request, { ...options, onOutput }, place);
  await program.write(input ?? "").catch(() => {}); // It may end without reading it.
  program.closeStdin();
  const { exitCode = -1, durationMs, failed } = await program.ended;
  if (signal.aborted) throw errors.RUN_CANCELLED();
  tellVariables(record, given, ready.declared, tell);
  if (program.executor !== record.executor)
    tell({
      ...{ what: "executor", name: program.executor, before: record.executor, now: program.executor },
      note: `it ran in ${record.executor} then, and in ${program.executor} now`,
    });
  const read = readFrom(layout.root, ready.run, (path) => fs.readFileSync(path));
  const files = outputsOf(layout.root, ready.run, record.globs);
  const now = { files, read, root: layout.root, run: ready.run };
  const then = { files: record.outputs, read: readKept(store), root: record.root, run: record.run };
  const outputs = compare(then, now).map((each) => ({ ...each, ...(each.diff && { diff: ready.hide(each.diff) }) }));
  const stderr = exitCode === record.exitCode ? {} : { stderr: ready.hide(failed ?? String(said)) };
  return { exitCode: { before: record.exitCode, now: exitCode }, outputs, ...stderr, durationMs };
}

/** The skill as it was then, where that can be had, else as it is. */
function skillAgain(ctx: RunnerContext, { skill }: RunRecord, folder: string, store: BlobStore, tell: Tell): Skill {
  const { name, digest, source, files } = skill;
  const found = ctx.find("skills")?.look.skills.find((each) => each.name === name);
  const now = found && digestNow(found);
  if (found && now === digest) return found;
  if (source === "project" && ctx.find("workspace")?.trusted === undefined)
    throw errors.RUN_REPLAY({
      name: `what the skill ${name} made`,
      reason: "it is a skill of a project that you do not trust now",
    });
  const kept = keptSkill(name, files, folder, store);
  const state = found ? "has changed since" : "is not here any more";
  const ran = kept ? "it ran as it was then" : "its files of then are not kept, so it ran as it is now";
  tell({
    what: "skill",
    name,
    before: digest,
    ...(now !== undefined && { now }),
    note: `the skill ${name} ${state}; ${ran}`,
  });
  if (kept) return kept;
  if (found) return found;
  throw errors.RUN_REPLAY({
    name: `what the skill ${name} made`,
    reason: "the skill is not here any more, and its files are not kept",
  });
}

/** Puts what lay in the workspace then into the new one. */
function placeAgain(ctx: RunnerContext, { record, store, folder }: Again, tell: Tell): void {
  const layout = makeLayout(folder);
  const ground = { layout, artifacts: undefined, host: hostFolders(ctx), skills: {}, earlier: [] };
  for (const { name, sha256 } of restore(layout.root, record.before, store))
    tell({
      what: "file",
      name,
      ...(sha256 !== undefined && { before: sha256 }),
      note: `${name} lay in the workspace then, and its bytes are not kept`,
    });
  for (const { from, to, sha256: before } of record.inputs) {
    const input = { what: "input", name: to, before } as const;
    try {
      const { sha256: now } = placeInput({ from, to }, ground);
      if (now !== before) tell({ ...input, now, note: `${from} has changed since` });
    } catch (thrown) {
      tell({ ...input, note: `${from} could not be had: ${messageOf(thrown)}` });
    }
  }
}

/** The variables that the call gave, from the log that holds the call; values are kept nowhere else. */
async function valuesOf({ session, call, variables }: RunRecord, look: OperationContext["look"]) {
  if (call === undefined || variables.given.length === 0) return {};
  try {
    const env = await look(session, ({ kernel }) => callIn(kernel.session.tree, call));
    // What a log does not say, nobody knows.
    return Object.fromEntries(Object.entries(env).filter(([, value]) => !value.includes("[redacted]")));
  } catch {
    return {}; // The session is gone; each variable is told as missing.
  }
}

function callIn(tree: RunnerContext["session"]["tree"], call: string): Record<string, string> {
  for (const { message } of tree.ofType("message") as Iterable<{ message: { content: unknown } }>) {
    const blocks = Array.isArray(message.content) ? message.content : [];
    const found = blocks.find((block) => block?.type === "toolCall" && block.id === call);
    if (found) return found.arguments?.env ?? {};
  }
  return {};
}

function tellVariables(
  { variables }: RunRecord,
  given: Readonly<Record<string, string>>,
  declared: readonly string[],
  tell: Tell,
): void {
  for (const name of variables.given)
    if (!Object.hasOwn(given, name))
      tell({ what: "variable", name, note: `${name} was set by the call, and its value is not known any more` });
  for (const name of variables.declared)
    if (!declared.includes(name))
      tell({ what: "variable", name, note: `${name} was set in your environment then, and is not now` });
}
