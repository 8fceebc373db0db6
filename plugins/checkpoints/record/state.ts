import { z } from "zod";
import type { Checkpoint, FileState } from "../contract.ts";

/** The kind of `custom` events that contain checkpoints. */
export const KIND = "checkpoint";

const mode = z.number().int().min(0).max(0o7777);
const size = z.number().int().min(0);
/** A path that `isInside` accepts. */
export const inside = z.string().refine(isInside);
export const state = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("absent") }),
  z.object({
    kind: z.literal("file"),
    mode,
    size,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    binary: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal("symlink"), target: z.string().min(1) }),
  z.object({ kind: z.literal("uncovered"), mode, size, reason: z.string() }),
]);
const checkpoint = z.object({
  v: z.literal(1),
  calls: z.array(z.string()),
  files: z.array(z.object({ path: inside, before: state.optional(), after: state.optional() })),
  notCovered: z.array(z.object({ path: z.string(), reason: z.string() })),
  pending: z.literal(true).optional(),
  restored: z.string().optional(),
});

/** Parses a checkpoint from a log, which is untrusted: invalid data and paths outside of the project are ignored. */
export function asCheckpoint(data: unknown): Checkpoint | undefined {
  const read = checkpoint.safeParse(data);
  return read.success ? ({ ...read.data, hidden: true } as Checkpoint) : undefined;
}

const FORBIDDEN = new Set([".git", ".scorel"]);
/** Paths that need a detailed check. Most paths do not, and there may be very many. */
const NOTABLE = /[^\x20-\x7e]|\.git|\.scorel|(?:^|\/)\.{0,2}(?:\/|$)/i;

/** Whether a relative path is inside the project, and not in `.git` or `.scorel`. */
export function isInside(relative: string): boolean {
  if (!NOTABLE.test(relative)) return true;
  const names = relative.split("/");
  return (
    !relative.includes("\0") && names.every((name) => name !== "" && name !== "." && name !== "..") && isFree(names)
  );
}

/** Compares names as file systems that ignore case or special characters would. */
function isFree(names: readonly string[]): boolean {
  return names.every((name) => !FORBIDDEN.has(fold(name)));
}

function fold(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}

/** Whether two states are the same. */
export function same(a: FileState, b: FileState): boolean {
  if (a.kind === "file") return b.kind === "file" && a.sha256 === b.sha256 && a.mode === b.mode;
  if (a.kind === "symlink") return b.kind === "symlink" && a.target === b.target;
  if (a.kind === "uncovered") return b.kind === "uncovered" && a.size === b.size && a.mode === b.mode;
  return b.kind === "absent";
}

export const absent: FileState = { kind: "absent" };
