import type { ReplayOutput } from "@scorel/artifacts/contract";
import type { BlobStore } from "@scorel/blobs/contract";
import { structuredPatch } from "diff";
import { isText, mimeOf } from "../workspace/mime.ts";
import { realFile } from "../workspace/outputs.ts";
import type { FileState } from "../workspace/states.ts";

const SMALL = 64 * 1024;
const DIFF_LINES = 30;
const DIFF_COLUMNS = 160;

/**
 * A workspace at one time: its files with their states, how to read one, and the paths that programs may have written
 * into files.
 */
export interface Side {
  files: readonly FileState[];
  read(file: FileState): Buffer | undefined;
  root: string;
  run: string;
}

/** Compares the files that two runs left. `hide` redacts secrets in texts that are shown. */
export function compare(then: Side, now: Side, hide: (text: string) => string): ReplayOutput[] {
  const [before, after] = [then, now].map(({ files }) => new Map(files.map((file) => [file.name, file]))) as [
    Map<string, FileState>,
    Map<string, FileState>,
  ];
  return [...new Set([...before.keys(), ...after.keys()])].sort().map((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    return {
      name,
      ...(was?.sha256 !== undefined && { before: was.sha256 }),
      ...(is?.sha256 !== undefined && { now: is.sha256 }),
      ...difference(was, is, [then, now], hide),
    };
  });
}

function difference(
  was: FileState | undefined,
  is: FileState | undefined,
  [then, now]: readonly [Side, Side],
  hide: (text: string) => string,
) {
  if (!was) return { same: false, note: "it did not exist then" };
  if (!is) return { same: false, note: "it does not exist now" };
  if (was.sha256 === undefined || is.sha256 === undefined)
    return { same: false, note: "it was beyond the limits of the record" };
  if (was.sha256 === is.sha256) return { same: true };
  const [old, fresh] = [textOf(was, then), textOf(is, now)];
  if (old === undefined || fresh === undefined) return { same: false };
  // Redacted before lines are cut and marked, since a part of a secret, or one of several lines, would not be found.
  const diff = shortDiff(hide(old), hide(fresh));
  // Replaces the longest path first, since the run's folder is inside the workspace.
  const moved = fresh.replaceAll(now.run, then.run).replaceAll(now.root, then.root);
  return { same: false, ...(moved === old && { note: "only the path of the workspace in it differs" }), diff };
}

function textOf(file: FileState, side: Side): string | undefined {
  if (file.size > SMALL) return undefined;
  const bytes = side.read(file);
  return bytes && isText(mimeOf(file.name, bytes)) ? bytes.toString("utf8") : undefined;
}

function shortDiff(old: string, fresh: string): string {
  if (old === fresh) return "the texts differ only in secrets";
  const patch = structuredPatch("", "", old, fresh, "", "", { context: 1, maxEditLength: 500 });
  const lines = (patch?.hunks ?? []).flatMap(({ oldStart, newStart, lines: changed }) => [
    `@@ -${oldStart} +${newStart} @@`,
    ...changed,
  ]);
  if (lines.length === 0) return "the texts have almost nothing in common";
  const shown = lines.slice(0, DIFF_LINES).map((line) => line.slice(0, DIFF_COLUMNS));
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`... ${left} more lines`] : [])].join("\n");
}

/** Reads files of an existing workspace. */
export function readFrom(root: string, run: string, read: (path: string) => Buffer): Side["read"] {
  return ({ name }) => {
    const real = realFile(root, name.replace(/^\$RUN_DIR(?=\/)/, run));
    return real === undefined ? undefined : read(real);
  };
}

/** Reads files of a recorded run from the blob store; undefined for those that were not stored. */
export function readStored(store: BlobStore): Side["read"] {
  return ({ sha256 }) => (sha256 === undefined ? undefined : store.read(sha256));
}
