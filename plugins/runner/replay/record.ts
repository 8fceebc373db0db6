import { join } from "node:path";
import type { Lineage } from "@scorel/artifacts/contract";
import type { BlobStore } from "@scorel/blobs/contract";
import { messageOf } from "@scorel/kernel";
import type { ExecutorName, SandboxEnd } from "@scorel/sandbox/contract";
import { z } from "zod";
import type { RunnerContext } from "../config.ts";
import type { RunRequest } from "../contract.ts";
import type { Ready } from "../run/ready.ts";
import { wantedOf } from "../run/result.ts";
import { storeSkill } from "../staging/skill-files.ts";
import { hashTree } from "../workspace/copy.ts";
import { matcher } from "../workspace/outputs.ts";
import { leadsTo } from "../workspace/paths.ts";
import { type States, statesOf } from "../workspace/states.ts";
import { inputRecord } from "./metadata.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().min(0);
/** A relative path inside a workspace. */
const place = z.string().regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0]+$/s);
const fileState = z.object({ name: place, size: count, mode: count, sha256: sha256.optional() });

/** Everything needed to repeat a run, except values of variables and files of the host. Stored as a list in the blob store. */
export const runRecord = z.object({
  skill: z.object({ name: z.string(), digest: z.string(), source: z.string(), files: sha256.optional() }),
  command: z.string(),
  cwd: z.string().optional(),
  timeout: z.number().optional(),
  stdin: z.object({ sha256 }).optional(),
  /** Whether a secret was removed from the command or the input. */
  redacted: z.literal(true).optional(),
  /** Names of variables: `given` by the call, whose values are in the log, and `declared` from the user's environment. */
  variables: z.object({ given: z.array(z.string()), declared: z.array(z.string()) }),
  /** Host files that were in the workspace. */
  inputs: z.array(inputRecord.extend({ to: place })),
  /** All other files in work/ and out/. */
  before: z.array(fileState),
  /** The number of further files that existed before the run and that the run left, without a record of each. */
  more: z.object({ before: count, outputs: count }),
  globs: z.array(z.string()),
  /** The workspace's path; `run` is the run's folder relative to it. Programs may write these paths into their output. */
  root: z.string(),
  run: place,
  /** The value of SOURCE_DATE_EPOCH. */
  epoch: count,
  /** Whether the program had network access. */
  network: z.boolean(),
  executor: z.enum(["bubblewrap", "docker", "podman", "local"]),
  exitCode: z.number().int(),
  /** Files that the program left in requested places and in out/; those in its run folder start with `$RUN_DIR/`. */
  outputs: z.array(fileState.extend({ name: z.string() })),
  session: z.string(),
  call: z.string().optional(),
});
export type RunRecord = z.output<typeof runRecord>;

/** The record that is made before a program starts; undefined when nothing of the run will be kept. */
export type Recording = Pick<RunRecord, "skill" | "inputs"> & { before: States; store: BlobStore };

/** Stores the files that a program starts with, if the run's files are saved as artifacts. Throws BLOB_WRITE. */
export function beginRecord(ctx: RunnerContext, request: RunRequest, ready: Ready): Recording | undefined {
  const store = ctx.find("blobs");
  if (!store || !ready.artifacts || !wantedOf(request).save) return undefined;
  const { layout, skill, staged, metadata } = ready;
  const inputs = metadata.inputs.filter(({ from, to, sha256: was }) => {
    return from.startsWith("host://") && isStill(layout.root, to, was);
  });
  const isInput = (name: string) => inputs.some(({ to }) => name === to || name.startsWith(`${to}/`));
  const lay = matcher(["work/**", "out/**"]);
  return {
    store,
    skill: { name: skill.name, digest: staged.digest, source: skill.source, files: storeSkill(staged, store) },
    inputs,
    before: statesOf(layout.root, (name) => lay(name) && !isInput(name), { store }),
  };
}

/** Whether an input is unchanged since it was placed. */
function isStill(root: string, name: string, was: string): boolean {
  try {
    return hashTree({ root, path: leadsTo(join(root, name)), from: name }) === was;
  } catch {
    return false; // A program has replaced it, so it is no longer an input.
  }
}

/** The lineage of a run's artifacts, with the run's record; a warning if the record could not be stored. */
export function lineageOf(
  ctx: RunnerContext,
  request: RunRequest,
  ready: Ready,
  recording: Recording | undefined,
  end: SandboxEnd & { executor: ExecutorName },
): { lineage: Lineage; warning?: string } {
  const { lineage } = ready;
  if (!recording) return { lineage };
  try {
    const record = recordOf(ctx, request, ready, recording, end);
    return { lineage: { ...lineage, run: { sha256: recording.store.putList(record) } } };
  } catch (thrown) {
    return { lineage, warning: `how it was run is not recorded: ${messageOf(thrown)}` };
  }
}

function recordOf(
  { session }: RunnerContext,
  request: RunRequest,
  ready: Ready,
  { store, before, ...begun }: Recording,
  { exitCode = -1, executor }: SandboxEnd & { executor: ExecutorName },
): RunRecord {
  const { layout, run, declared, epoch, toolCallId } = ready;
  const { cwd, timeout, env = {} } = request;
  const { globs } = wantedOf(request).wanted;
  const outputs = outputsOf(layout.root, run, globs);
  return {
    ...begun,
    ...redactedInput(request, ready, store),
    ...(cwd !== undefined && { cwd }),
    ...(timeout !== undefined && { timeout }),
    variables: { given: Object.keys(env), declared: [...declared] },
    globs: [...globs],
    root: layout.root,
    ...{ run, epoch, executor, exitCode },
    network: ready.grants.network,
    before: before.files,
    outputs: outputs.files,
    more: { before: before.more, outputs: outputs.more },
    session: session.id,
    ...(toolCallId !== undefined && { call: toolCallId }),
  };
}

/** The command and the input, with secrets redacted. */
function redactedInput({ command, stdin }: RunRequest, { hide }: Ready, store: BlobStore) {
  const input = stdin === undefined ? undefined : hide(stdin);
  const redacted = hide(command) !== command || input !== stdin;
  return {
    command: hide(command),
    ...(redacted && { redacted }),
    ...(input !== undefined && { stdin: { sha256: store.put(Buffer.from(input)) } }),
  };
}

/** The files that a run left. Those in its run folder start with `$RUN_DIR`. */
export function outputsOf(root: string, run: string, globs: readonly string[]): States {
  const matches = matcher([...globs, "out/**"], run);
  const own = (name: string) => name.startsWith(`${run}/`);
  const ours = (name: string) => matches(name) && (!name.startsWith("runs/") || own(name));
  const { files, more } = statesOf(root, ours, { first: matcher(globs, run) });
  return {
    files: files.map((file) => (own(file.name) ? { ...file, name: `$RUN_DIR${file.name.slice(run.length)}` } : file)),
    more,
  };
}
