import type { BlobStore } from "@scorel/blobs/contract";
import { codeOf, messageOf, ScorelError, type SessionHeader } from "@scorel/kernel";
import { slices } from "@scorel/kit/values/slices";
import type { FileChange, FileState, NotCovered } from "../contract.ts";
import { observe, stateOf } from "../record/observe.ts";
import { absent, same } from "../record/state.ts";
import { BEHIND_LINK, inFolder } from "./folder.ts";
import type { History } from "./history.ts";

/** The project whose files are examined and restored, with the store for contents. */
export interface Place {
  root: string;
  /** The working directory, which is never removed, even when empty. */
  cwd: string;
  blobs: BlobStore;
  maxFileBytes: number;
  /** Redacts secrets in a text that is shown. */
  redact(text: string): string;
}
/** A file with its present and its target state. */
export interface Step {
  path: string;
  present: FileState;
  target: FileState;
  /** Why only `overwrite` changes this file. */
  conflict?: string;
}
export interface Plan {
  steps: Step[];
  notCovered: NotCovered[];
}

/** Whether a log's checkpoints come from another machine or an import; these must not change files here. */
export function isForeign({ meta, clonedFrom, deviceId }: SessionHeader): boolean {
  return Boolean(meta.imported) || (clonedFrom !== undefined && clonedFrom.deviceId !== deviceId);
}

/** The steps that restore the files to a place in the log. Rejects with the reason when the signal aborts. */
export async function planFor(place: Place, history: History, at: number, signal?: AbortSignal): Promise<Plan> {
  const plan: Plan = { steps: [], notCovered: history.gapsAfter(at) };
  const links = new Set<string>();
  const pause = slices();
  for (const path of history.paths) {
    await pause();
    signal?.throwIfAborted();
    const target = history.stateAt(path, at);
    const expected = history.last(path);
    const step = stepFor(place, { path, target, expected, freed: parentsOf(path).some((parent) => links.has(parent)) });
    if (typeof step === "object" && step.present.kind === "symlink") links.add(path);
    if (typeof step === "string") plan.notCovered.push({ path, reason: step });
    else if (step) plan.steps.push(step);
  }
  return { ...plan, notCovered: withoutDuplicates(plan.notCovered) };
}

/** Removes duplicates. */
export function withoutDuplicates(gaps: readonly NotCovered[]): NotCovered[] {
  return [...new Map(gaps.map((gap) => [`${gap.path}\0${gap.reason}`, gap])).values()];
}

function parentsOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}

interface Wanted {
  path: string;
  target: FileState;
  expected: FileState;
  /** Whether a link in place of a parent folder is removed first, so that nothing will be at the path. */
  freed: boolean;
}

function stepFor(place: Place, { path, target, expected, freed }: Wanted): Step | string | undefined {
  const seen = lookAt(place, path, Math.max(sizeOf(target), sizeOf(expected)));
  // A file behind a link does not belong to the project. If a file must be created there, the link is removed first.
  const present = seen === BEHIND_LINK && (freed || target.kind === "absent") ? absent : seen;
  if (typeof present === "string") return present;
  if (same(present, target)) return undefined;
  if (target.kind === "uncovered") return target.reason;
  if (target.kind === "file" && !place.blobs.has(target.sha256)) return "its content is not stored";
  const conflict = conflictOf(present, expected);
  return { path, present, target, ...(conflict !== undefined && { conflict }) };
}

function conflictOf(present: FileState, expected: FileState): string | undefined {
  if (!same(present, expected)) return "it was changed afterwards by another program";
  return present.kind === "uncovered" ? `the current content cannot be stored: ${present.reason}` : undefined;
}

/** The present state of a path; a string is the reason why it must not be read. `read` receives a file's content. */
export function lookAt(
  { root, maxFileBytes }: Place,
  path: string,
  atLeast = 0,
  read: (content: Buffer, mode: number) => FileState = stateOf,
): FileState | string {
  try {
    const most = Math.max(maxFileBytes, atLeast);
    return inFolder(root, path, false, (folder, name) => observe(folder.at(name), most, read)) ?? absent;
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

/** Why a file was skipped, for a list of such files. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof ScorelError && typeof thrown.data.reason === "string") return thrown.data.reason;
  if (thrown instanceof ScorelError) return messageOf(thrown);
  const code = codeOf(thrown, messageOf(thrown));
  return REASONS[code] ?? code;
}

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a file is in a folder's place, or a folder with files in a file's",
};

/** The kind of change from one state to another; `mode` if only the permission bits differ. */
export function kindOf(from: FileState, to: FileState): FileChange["kind"] {
  if (from.kind === "absent") return "created";
  if (to.kind === "absent") return "deleted";
  return from.kind === "file" && to.kind === "file" && from.sha256 === to.sha256 ? "mode" : "modified";
}

function sizeOf(state: FileState): number {
  return state.kind === "file" ? state.size : 0;
}
