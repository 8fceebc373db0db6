import type { BlobStore } from "@scorel/blobs/contract";
import { codeOf, messageOf, ScorelError, type SessionHeader } from "@scorel/kernel";
import type { FileChange, FileState, NotCovered } from "./contract.ts";
import { BEHIND_LINK, inFolder } from "./folder.ts";
import type { History } from "./history.ts";
import { observe, stateOf } from "./observe.ts";
import { absent, same } from "./state.ts";

/** Where files are looked at and restored, and what their contents are kept in. */
export interface Place {
  root: string;
  /** Never removed, however empty. */
  cwd: string;
  blobs: BlobStore;
  maxFileBytes: number;
  /** Takes known keys out of a text that is shown. */
  redact(text: string): string;
}
/** One file on its way from what it is to what it shall be. */
export interface Step {
  path: string;
  present: FileState;
  target: FileState;
  /** Why only `overwrite` does it. */
  conflict?: string;
}
export interface Plan {
  steps: Step[];
  notCovered: NotCovered[];
}

/** Whether the checkpoints of a log were taken here: nobody else's may touch files. */
export function isForeign({ meta, clonedFrom, deviceId }: SessionHeader): boolean {
  return Boolean(meta.imported) || (clonedFrom !== undefined && clonedFrom.deviceId !== deviceId);
}

/** What has to happen so that the files become what they were at a place of the log. */
export function planFor(place: Place, history: History, at: number): Plan {
  const plan: Plan = { steps: [], notCovered: history.gapsAfter(at) };
  const links = new Set<string>();
  for (const path of history.paths) {
    const target = history.stateAt(path, at);
    const expected = history.last(path);
    const step = stepFor(place, { path, target, expected, freed: parentsOf(path).some((parent) => links.has(parent)) });
    if (typeof step === "object" && step.present.kind === "symlink") links.add(path);
    if (typeof step === "string") plan.notCovered.push({ path, reason: step });
    else if (step) plan.steps.push(step);
  }
  return { ...plan, notCovered: eachOnce(plan.notCovered) };
}

/** A list without what it says twice. */
export function eachOnce(gaps: readonly NotCovered[]): NotCovered[] {
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
  /** A link that stands in a folder's place goes first, so that there is nothing at the path then. */
  freed: boolean;
}

function stepFor(place: Place, { path, target, expected, freed }: Wanted): Step | string | undefined {
  const seen = lookAt(place, path, Math.max(sizeOf(target), sizeOf(expected)));
  // Through a link there is nothing of the project's; where a file shall be, the link has to go first.
  const present = seen === BEHIND_LINK && (freed || target.kind === "absent") ? absent : seen;
  if (typeof present === "string") return present;
  if (same(present, target)) return undefined;
  if (target.kind === "uncovered") return target.reason;
  if (target.kind === "file" && !place.blobs.has(target.sha256)) return "its content is not kept";
  const conflict = conflictOf(present, expected);
  return { path, present, target, ...(conflict !== undefined && { conflict }) };
}

function conflictOf(present: FileState, expected: FileState): string | undefined {
  if (!same(present, expected)) return "it was changed since by someone else";
  return present.kind === "uncovered" ? `what is there now cannot be kept: ${present.reason}` : undefined;
}

/** What is at a path of the project now; a text says why it is none of ours to look at. `read` gets a file's content. */
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

/** Why a file was left alone, in the words of a list of such files. */
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

/** What a change does to a file. */
export function kindOf(from: FileState, to: FileState): FileChange["kind"] {
  if (from.kind === "absent") return "created";
  if (to.kind === "absent") return "deleted";
  return from.kind === "file" && to.kind === "file" && from.sha256 === to.sha256 ? "mode" : "modified";
}

function sizeOf(state: FileState): number {
  return state.kind === "file" ? state.size : 0;
}
