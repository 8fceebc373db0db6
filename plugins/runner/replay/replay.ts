import * as fs from "node:fs";
import { join } from "node:path";
import type { ArtifactVersion, Replay, ReplayChange, ReplayOutput } from "@scorel/artifacts/contract";
import type { BlobStore } from "@scorel/blobs/contract";
import type { OperationContext } from "@scorel/host/contract";
import type { RunnerContext } from "../config.ts";
import type { RunRequest } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Place, Ready } from "../run/ready.ts";
import { startSkill } from "../run/run.ts";
import { TextHead } from "../run/text-head.ts";
import { makeLayout } from "../workspace/layout.ts";
import { temporaryFolder } from "../workspace/workspace-folder.ts";
import { compare, readFrom, readStored } from "./compare.ts";
import { outputsOf, type RunRecord, runRecord } from "./record.ts";
import {
  reportLimitsChanged,
  reportMissingVariables,
  restoreWorkspace,
  skillForReplay,
  stdinOf,
  type Tell,
  valuesOf,
} from "./replay-setup.ts";

const STDERR_BYTES = 2_048;

/** Repeats the run that made an artifact, in a new workspace, and compares the results. Throws RUN errors. */
export async function replay(
  ctx: RunnerContext,
  artifact: ArtifactVersion,
  { look, left, keep = false }: Pick<OperationContext, "look"> & { left: AbortSignal; keep?: boolean | undefined },
): Promise<Replay> {
  const { record, store } = recordOf(ctx, artifact);
  const folder = temporaryFolder();
  const changed: ReplayChange[] = [];
  let isKept = false;
  try {
    const given = await valuesOf(record, look);
    const again = await runAgain(ctx, { record, store, given, folder: folder.path, signal: left }, (change) =>
      changed.push(change),
    );
    // After an error, nobody would be told where it is.
    isKept = keep;
    return {
      name: artifact.name,
      version: artifact.version,
      same: again.exitCode.before === again.exitCode.now && isSame(artifact, again.outputs),
      ...again,
      changed,
      ...(keep && { workspace: makeLayout(folder.path).root }),
    };
  } finally {
    if (!isKept) folder.remove();
  }
}

/** Whether all compared files are the same, including the artifact itself. */
function isSame({ sha256 }: ArtifactVersion, outputs: readonly ReplayOutput[]): boolean {
  return outputs.every(({ same }) => same) && outputs.some(({ now }) => now === sha256);
}

function recordOf(ctx: RunnerContext, { name, lineage }: ArtifactVersion): { record: RunRecord; store: BlobStore } {
  const store = ctx.find("blobs");
  const hash = lineage?.run?.sha256;
  if (!store || hash === undefined) throw errors.RUN_REPLAY({ name, reason: "there is no record of how it was run" });
  const found = store.readList(hash);
  if (found === undefined)
    throw errors.RUN_REPLAY({ name, reason: `the record of how it was run is not stored here (${hash})` });
  const { data, error } = runRecord.safeParse(found);
  const [wrong] = error?.issues ?? [];
  if (!data)
    throw errors.RUN_REPLAY({
      name,
      reason: `the record of how it was run cannot be read: ${wrong?.path.join(".")}: ${wrong?.message}`,
    });
  return { record: data, store };
}

interface Again {
  record: RunRecord;
  store: BlobStore;
  /** Values of the variables that the recorded call set. */
  given: Readonly<Record<string, string>>;
  folder: string;
  signal: AbortSignal;
}

async function runAgain(ctx: RunnerContext, again: Again, tell: Tell) {
  const { record, store, given, folder, signal } = again;
  await ctx.find("skills")?.refresh();
  const skill = skillForReplay(ctx, record, { folder: join(folder, "skill"), store }, tell);
  restoreWorkspace(ctx, record, { folder, store }, tell);
  const said = new TextHead(STDERR_BYTES);
  const options = { signal, interactive: record.stdin !== undefined };
  const onText = (text: string, from: string) => (from === "stderr" ? said.write(text) : undefined);
  const place: Partial<Place> = { skill, base: folder, epoch: record.epoch };
  const { program, ready } = await startSkill(ctx, requestOf(record, given), { ...options, onText }, place);
  await program.write(stdinOf(record, store, tell)).catch(() => {}); // The program may end without reading its input.
  program.closeStdin();
  const { exitCode = -1, durationMs, failed } = await program.ended;
  if (signal.aborted) throw errors.RUN_CANCELLED();
  reportMissingVariables(record, given, ready.declared, tell);
  reportLimitsChanged(record, { executor: program.executor, isOnline: ready.grants.network }, tell);
  const outputs = compareFiles(record, ready, store, tell);
  const stderr =
    exitCode === record.exitCode ? {} : { stderr: failed === undefined ? String(said) : ready.hide(failed) };
  return { exitCode: { before: record.exitCode, now: exitCode }, outputs, ...stderr, durationMs };
}

function requestOf({ skill, command, cwd, timeout }: RunRecord, env: Readonly<Record<string, string>>): RunRequest {
  return {
    ...{ skill: skill.name, command, env: { ...env } },
    ...(cwd !== undefined && { cwd }),
    ...(timeout !== undefined && { timeout }),
  };
}

function compareFiles(record: RunRecord, ready: Ready, store: BlobStore, tell: Tell): ReplayOutput[] {
  const { root } = ready.layout;
  const { files, more } = outputsOf(root, ready.run, record.globs);
  const read = readFrom(root, ready.run, (path) => fs.readFileSync(path));
  const now = { files, read, root, run: ready.run };
  const then = { files: record.outputs, read: readStored(store), root: record.root, run: record.run };
  const most = Math.max(more, record.more.outputs);
  if (most > 0) tell({ what: "file", name: "out/", note: `${most} more files are not compared: there are too many` });
  return compare(then, now, ready.hide);
}
