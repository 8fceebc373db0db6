import * as fs from "node:fs";
import { isInPlaceOnly, writeInPlace } from "@scorel/kit/files/in-place";
import { slices } from "@scorel/kit/values/slices";
import type { FileState, NotCovered } from "../contract.ts";
import { errors } from "../errors.ts";
import { observe, stateOf } from "../record/observe.ts";
import { absent, same } from "../record/state.ts";
import { type Folder, inFolder } from "./folder.ts";
import type { Journal } from "./journal.ts";
import { type Place, reasonOf } from "./plan.ts";

export interface Restored {
  restored: string[];
  skipped: NotCovered[];
}

/**
 * Performs a journal's remaining steps until the signal aborts. A file in its target state is done. A file in neither
 * its original nor its target state was changed by someone else, and is skipped.
 */
export async function carryOut(place: Place, { id, steps }: Journal, signal: AbortSignal): Promise<Restored> {
  const result: Restored = { restored: [], skipped: [] };
  const pause = slices();
  for (const { path, before, after } of inOrder(steps)) {
    await pause();
    if (signal.aborted) break;
    const reason = attempt(place, { path, before, after }, `.scorel-restore-${id}`);
    if (reason === undefined) result.restored.push(path);
    else result.skipped.push({ path, reason });
  }
  return result;
}

/** Deletions first, deepest first; then the other changes from the top. */
function inOrder(steps: Journal["steps"]): Journal["steps"] {
  const going = steps.filter(({ after }) => after.kind === "absent").reverse();
  return [...going, ...steps.filter(({ after }) => after.kind !== "absent")];
}

type Move = Journal["steps"][number];

function attempt(place: Place, move: Move, beside: string): string | undefined {
  try {
    return apply(place, move, beside);
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

function apply(place: Place, { path, before, after }: Move, beside: string): string | undefined {
  const { root, maxFileBytes } = place;
  const most = Math.max(maxFileBytes, ...[before, after].map((state) => (state.kind === "file" ? state.size : 0)));
  const change = (folder: Folder, name: string) => put(folder, name, beside, after, place);
  // One look at the folder for everything: opening it takes as long as the rest.
  const present = inFolder(root, path, false, (folder, name) => {
    fs.rmSync(folder.at(beside), { force: true });
    const found = observe(folder.at(name), most, stateOf);
    if (!same(found, after) && same(found, before) && after.kind !== "absent") change(folder, name);
    return found;
  });
  if (same(present ?? absent, after)) return undefined;
  if (!same(present ?? absent, before)) return "it was changed during the restoration";
  if (after.kind === "absent") remove(place, path);
  else if (present === undefined) inFolder(root, path, true, change);
  return undefined;
}

/** Removes a file and its parent folders that become empty. */
function remove({ root, cwd }: Place, path: string): void {
  inFolder(root, path, false, (folder, name) => fs.unlinkSync(folder.at(name)));
  const names = path.split("/");
  for (names.pop(); names.length > 0; names.pop()) {
    const above = names.join("/");
    if (`${cwd}/`.startsWith(`${root}/${above}/`) || !removeIfEmpty(root, above)) return;
  }
}

function removeIfEmpty(root: string, path: string): boolean {
  try {
    inFolder(root, path, false, (folder, name) => fs.rmdirSync(folder.at(name)));
    return true;
  } catch {
    return false; // The folder is not empty or cannot be removed.
  }
}

/**
 * Writes a temporary file and renames it, so that the file is never incomplete. The rename replaces a link instead of following
 * it. A file that cannot be replaced is written in place, as tools write it.
 */
function put(folder: Folder, name: string, beside: string, state: FileState, { blobs }: Place): void {
  const old = fs.lstatSync(folder.at(name), { throwIfNoEntry: false });
  const content = state.kind === "file" ? contentOf(blobs.read(state.sha256), name) : undefined;
  try {
    if (state.kind === "symlink") fs.symlinkSync(state.target, folder.at(beside));
    else if (content && state.kind === "file") writeNew(folder.at(beside), content, state.mode, old);
    if (old?.isDirectory()) removeHollow(folder, name);
    fs.renameSync(folder.at(beside), folder.at(name));
  } catch (thrown) {
    fs.rmSync(folder.at(beside), { force: true });
    const isOneFile = old?.isFile() && old.nlink === 1;
    if (!content || state.kind !== "file" || !isOneFile || !isInPlaceOnly(thrown)) throw thrown;
    writeInPlace(folder.at(name), content, state.mode);
  }
}

/** Removes a folder that contains only empty folders. */
function removeHollow(folder: Folder, name: string): void {
  const inner = folder.child(name, false);
  try {
    for (const entry of fs.readdirSync(inner.at("."))) removeHollow(inner, entry);
  } finally {
    inner.close();
  }
  fs.rmdirSync(folder.at(name));
}

function contentOf(bytes: Buffer | undefined, path: string): Buffer {
  if (bytes) return bytes;
  throw errors.CHECKPOINT_PATH({ path, reason: "its content is not stored" });
}

function writeNew(path: string, bytes: Buffer, mode: number, old: fs.Stats | undefined): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
  const fd = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fs.writeFileSync(fd, bytes);
    if (old?.isFile() && (old.uid !== process.getuid?.() || old.gid !== process.getgid?.()))
      fs.fchownSync(fd, old.uid, old.gid);
    fs.fchmodSync(fd, mode);
  } finally {
    fs.closeSync(fd);
  }
}
